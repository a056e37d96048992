/** Wakes a waiting loop; a wake-up of a loop that does not wait is remembered. */
export type WakeUp = {
  readonly wake: () => void;
  /** Resolves at a wake-up since the last wait, at the timeout, or when the signal aborts; true for a wake-up. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<boolean>;
};

/** Makes a wake-up that is not set. */
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
