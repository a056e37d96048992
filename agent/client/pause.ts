/** Resolves after the time or, if that is sooner, when a signal aborts. It never rejects. */
export function pause(ms: number, ...signals: readonly AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    if (signals.some(({ aborted }) => aborted)) return resolve();
    const timer = setTimeout(done, ms);
    for (const signal of signals) signal.addEventListener("abort", done);
    function done(): void {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener("abort", done);
      resolve();
    }
  });
}
