export type Parking = {
  readonly waitMs: number;
  /** Abort when the client is gone, when this broker drains: whichever comes first ends the wait. */
  readonly signals: readonly AbortSignal[];
};

/** Waits until `wake` is called, the time is over or a signal aborts; `begin` is handed `wake` before all that. */
export function park(
  { waitMs, signals }: Parking,
  begin: (wake: () => void) => void,
): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(wake, waitMs);
    for (const signal of signals) signal.addEventListener("abort", wake);
    if (signals.some(({ aborted }) => aborted)) wake();
    else begin(wake);

    function wake(): void {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener("abort", wake);
      resolve();
    }
  });
}
