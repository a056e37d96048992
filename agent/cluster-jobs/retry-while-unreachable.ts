import { pause } from "../client/pause.ts";
import { JobFailure } from "../jobs/job-failure.ts";
import { ApiRefusal } from "../kubernetes/api-refusal.ts";

const againMs = 2_000;
const mostAwayMs = 300_000;

/**
 * Retries for five minutes while the API does not answer, or until the signal aborts: a Job continues even when its
 * cluster is unreachable for minutes. Throws the last error.
 */
export async function patiently<T>(signal: AbortSignal, act: () => Promise<T>): Promise<T> {
  const giveUpAtMs = Date.now() + mostAwayMs;
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (signal.aborted || !isAway(error) || Date.now() >= giveUpAtMs) throw error;
      await pause(againMs, signal);
    }
  }
}

function isAway(error: unknown): boolean {
  if (error instanceof ApiRefusal) return error.status === 429 || error.status >= 500;
  return error instanceof JobFailure && error.metadata["class"] === "network";
}
