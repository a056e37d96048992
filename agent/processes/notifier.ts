/**
 * Wakes all waiters. A notification between a check and the wait is not lost, because the caller passes the count that
 * it saw.
 */
export type Notifier = {
  readonly notify: () => void;
  readonly count: () => number;
  /** Resolves at the first notification after that count, or at the timeout. */
  readonly after: (seen: number, atMostMs: number) => Promise<void>;
};

/** Makes a notifier. */
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
