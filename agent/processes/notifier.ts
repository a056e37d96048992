/** Wakes those who wait. A ring between looking and waiting is not lost: whoever waits says which ring it saw. */
export type Bell = {
  readonly ring: () => void;
  readonly rings: () => number;
  /** Resolves at the next ring after the one that was seen, or when the time is over. */
  readonly after: (seen: number, atMostMs: number) => Promise<void>;
};

/** A bell that nobody waits for yet. */
export function makeBell(): Bell {
  let rings = 0;
  const waiting = new Set<() => void>();
  return {
    rings: () => rings,
    ring: () => {
      rings += 1;
      for (const wake of waiting) wake();
    },
    after: async (seen, atMostMs) => {
      if (rings !== seen) return;
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
