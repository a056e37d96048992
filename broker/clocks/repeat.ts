import { setTimeout as pause } from "node:timers/promises";
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
    // Random, so that brokers that started together seldom ask for the same rows.
    const waitMs = everyMs * (0.8 + Math.random() * 0.4);
    await pause(waitMs, undefined, { signal }).catch(() => {}); // what it rejects with is the abort
  }
}
