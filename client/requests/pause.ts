/** Longer ones would end at once. */
const longestTimerMs = 2 ** 31 - 1;

/** Waits; throws the signal's reason when it aborts. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, Math.min(ms, longestTimerMs));
    signal?.addEventListener("abort", end);
  });
  signal?.throwIfAborted();
}
