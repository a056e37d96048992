/** Lets a loop wait until it is woken; waking one that does not wait is remembered. */
export type WakeUp = {
  readonly wake: () => void;
  /**
   * Resolves when it was woken since the last time, when the time is over, or when the signal aborts; true when it was
   * woken.
   */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<boolean>;
};

/** A wake-up that nobody has rung. */
export function makeWakeUp(): WakeUp {
  let isRung = false;
  let ring: (() => void) | undefined;
  return {
    wake() {
      isRung = true;
      ring?.();
    },
    async wait(ms, signal) {
      if (!isRung && !signal.aborted) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(done, ms);
          signal.addEventListener("abort", done);
          ring = done;
          function done(): void {
            clearTimeout(timer);
            signal.removeEventListener("abort", done);
            ring = undefined;
            resolve();
          }
        });
      }
      const wasRung = isRung;
      isRung = false;
      return wasRung;
    },
  };
}
