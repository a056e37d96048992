import type { StopCause, StopKind } from "./stop-cause.ts";

/** Decides when a job is stopped, and when it is killed. */
export type StopControl = {
  /** Aborts with the first cause as its reason. */
  readonly signal: AbortSignal;
  /** Aborts when everything that still runs must be killed. */
  readonly killSignal: AbortSignal;
  readonly cause: () => StopCause | undefined;
  readonly stop: (cause: StopCause, how: "gently" | "now") => void;
  /** Stops the job with this cause after the time, unless it was stopped before. */
  readonly stopAfter: (ms: number, kind: StopKind, words?: string) => void;
  /** Clears all timers. */
  readonly close: () => void;
};

/**
 * Enforces a job's deadline: the job is stopped early enough to end and to report, and killed shortly before the
 * deadline. Jobs with little time keep three quarters of it for themselves.
 */
export function makeStopControl(times: {
  readonly startedAtMs: number;
  readonly deadlineAtMs: number;
  readonly stopGraceMs: number;
  readonly killGraceMs?: number;
}): StopControl {
  const [stopping, killing] = [new AbortController(), new AbortController()];
  const timers = new Set<NodeJS.Timeout>();
  const stop: StopControl["stop"] = (cause, how) => {
    // First, because a killed job gets no SIGTERM before.
    if (how === "now") killing.abort();
    if (!stopping.signal.aborted) stopping.abort(cause);
  };
  const at = (instantMs: number, act: () => void): void => {
    const waitMs = Math.min(Math.max(instantMs - Date.now(), 0), longestTimerMs);
    const timer = setTimeout(() => {
      timers.delete(timer);
      if (Date.now() >= instantMs) act();
      else at(instantMs, act);
    }, waitMs);
    timers.add(timer);
  };
  const { startedAtMs, deadlineAtMs } = times;
  const reserveMs = Math.min(times.stopGraceMs + reportMs, (deadlineAtMs - startedAtMs) / 4);
  at(deadlineAtMs - reserveMs, () => stop({ kind: "deadline" }, "gently"));
  const killGraceMs = times.killGraceMs ?? defaultKillGraceMs;
  at(deadlineAtMs - Math.min(reserveMs / 2, killGraceMs), () => killing.abort());
  return {
    signal: stopping.signal,
    killSignal: killing.signal,
    cause: () => (stopping.signal.aborted ? (stopping.signal.reason as StopCause) : undefined), // aborted only above
    stop,
    stopAfter: (ms, kind, words) =>
      at(Date.now() + ms, () => stop({ kind, ...(words !== undefined && { words }) }, "gently")),
    close: () => {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}

/** Enough time to write the last lines and to deliver the result. */
const reportMs = 3_000;
/** Killed this long before the deadline, the job can still report its end in time. */
const defaultKillGraceMs = 5_000;
const longestTimerMs = 2 ** 31 - 1;
