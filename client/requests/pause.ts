import { setTimeout as sleep } from "node:timers/promises";

/** Waits; throws the signal's reason when it aborts. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await sleep(ms, undefined, { ...(signal !== undefined && { signal }) }).catch(() => {});
  signal?.throwIfAborted();
}
