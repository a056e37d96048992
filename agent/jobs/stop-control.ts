import type { StopCause, StopKind } from "./stop-cause.ts";

/** Says when a job is to stop, and when to stop without grace. */
export type StopControl = {
  /** Aborted by the first cause, which is its reason. */
  readonly signal: AbortSignal;
  /** Aborted when nothing may go on any more: whatever runs is killed. */
  readonly killSignal: AbortSignal;
  readonly cause: () => StopCause | undefined;
  readonly stop: (cause: StopCause, how: "gently" | "now") => void;
  /** Stops it with this cause after the time, unless it has stopped before. */
  readonly stopAfter: (ms: number, kind: StopKind, words?: string) => void;
  /** Stops the clocks. */
  readonly close: () => void;
};

/**
 * Watches over a job's deadline: it is stopped so much before it that there is time to come to rest and to
 * report, and killed shortly before it. Short jobs keep three quarters of their time to themselves.
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
    // First: what is killed is not asked before.
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
    cause: () => (stopping.signal.aborted ? (stopping.signal.reason as StopCause) : undefined), // aborted above only
    stop,
    stopAfter: (ms, kind, words) =>
      at(Date.now() + ms, () => stop({ kind, ...(words !== undefined && { words }) }, "gently")),
    close: () => {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}

/** Enough to write the last lines and to bring the result to the broker. */
const reportMs = 3_000;
/** What is killed so long before the deadline is told before it. */
const defaultKillGraceMs = 5_000;
const longestTimerMs = 2 ** 31 - 1;
