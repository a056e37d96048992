import { pause } from "../client/pause.ts";
import { JobFailure } from "../jobs/job-failure.ts";
import { ApiRefusal } from "../kubernetes/api-refusal.ts";

const againMs = 2_000;
const mostAwayMs = 300_000;

/**
 * Does it again for five minutes while nobody answers, or until the signal aborts: a Job goes on though its cluster is away
 * for minutes. Throws what was thrown last.
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
