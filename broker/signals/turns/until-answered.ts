import { setTimeout as pause } from "node:timers/promises";
import { isRefusal } from "../../database/database-errors.ts";

const delaysMs = [250, 1000, 2000, 4000, 8000] as const;

/**
 * Asks again while the database does not answer, for 15 s at most and not after the signal; then it throws. Only for what
 * may happen twice.
 */
export async function untilAnswered<Answer>(
  signal: AbortSignal,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  for (const delayMs of delaysMs) {
    try {
      return await ask();
    } catch (error) {
      if (signal.aborted || isRefusal(error)) throw error;
      await pause(delayMs, undefined, { signal }).catch(() => undefined);
    }
  }
  return await ask();
}
