/** What is promised, unless the signal aborts before: then it throws the signal's reason. */
export async function orAbort<Value>(
  signal: AbortSignal,
  ask: () => Promise<Value>,
): Promise<Value> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort);
  try {
    return await Promise.race([ask(), aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
