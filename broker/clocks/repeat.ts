import type { Log } from "../log.ts";

export type Loop = { readonly signal: AbortSignal; readonly log: Log };

/** Acts again and again until the signal aborts; resolves after the last act. A failure is logged and tried again. */
export async function repeat(
  { signal, log }: Loop,
  name: string,
  everyMs: number,
  act: () => PromiseLike<unknown>,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await act();
    } catch (error) {
      if (!signal.aborted)
        log.error({ err: error, loop: name }, "background loop failed; it will be retried");
    }
    // Brokers that started together drift apart, so that they seldom ask for the same rows.
    await pause(signal, everyMs * (0.8 + Math.random() * 0.4));
  }
}

/** Resolves after the time or, if that is sooner, when the signal aborts. */
function pause(signal: AbortSignal, ms: number): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done);
  });
}
