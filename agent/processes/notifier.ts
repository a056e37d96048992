/** Wakes all waiters. A notification between a look and the wait is not lost: the caller passes the count that it saw. */
export type Notifier = {
  readonly notify: () => void;
  readonly count: () => number;
  /** Resolves at the next notification after the count that was seen, or at the timeout. */
  readonly after: (seen: number, atMostMs: number) => Promise<void>;
};

/** A notifier without waiters. */
export function makeNotifier(): Notifier {
  let count = 0;
  const waiting = new Set<() => void>();
  return {
    count: () => count,
    notify: () => {
      count += 1;
      for (const wake of waiting) wake();
    },
    after: async (seen, atMostMs) => {
      if (count !== seen) return;
      await new Promise<void>((resolve) => {
        const wake = () => {
          clearTimeout(timer);
          waiting.delete(wake);
          resolve();
        };
        const timer = setTimeout(wake, atMostMs);
        waiting.add(wake);
      });
    },
  };
}
