/**
 * Resolves after the time or when a signal aborts; never rejects. It uses the global setTimeout, which tests fake.
 */
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

/** Resolves when the first of the signals aborts. */
export async function untilAborted(...signals: readonly AbortSignal[]): Promise<void> {
  await new Promise<void>((resolve) => onceAborted(AbortSignal.any([...signals]), resolve));
}

/** Calls `act` when the signal aborts; at once if it has. */
export function onceAborted(signal: AbortSignal, act: () => void): void {
  if (signal.aborted) act();
  else signal.addEventListener("abort", act, { once: true });
}
