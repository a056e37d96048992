export type Parking = {
  readonly waitMs: number;
  /** Ends the wait when it settles. */
  readonly until: Promise<void>;
  /** Abort when the client is gone, when this broker drains: whichever comes first ends the wait. */
  readonly signals: readonly AbortSignal[];
};

/** Waits until the promise settles, the time is up or a signal aborts. */
export function park({ waitMs, until, signals }: Parking): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(wake, waitMs);
    for (const signal of signals) signal.addEventListener("abort", wake);
    if (signals.some(({ aborted }) => aborted)) wake();
    void until.then(wake);

    function wake(): void {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener("abort", wake);
      resolve();
    }
  });
}
