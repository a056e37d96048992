import { isAnothers } from "../jobs/stop-cause.ts";
import type { StopReason } from "../running-job.ts";

/** How a job in a pod is stopped. */
export type PodStop = {
  readonly stop: (reason: StopReason, how: "gently" | "now") => void;
  /** The reason, once it is stopped. */
  readonly reason: () => StopReason | undefined;
  /** Aborts when its pod must be deleted. */
  readonly told: AbortSignal;
  /** Aborts when its pod must be killed. */
  readonly hurried: AbortSignal;
  /** Aborts when nobody waits for its pod any more. */
  readonly givenUp: AbortSignal;
  readonly close: () => void;
};

/** A pod that still exists this long after its grace period is on a node that does not answer. */
const spareMs = 60_000;
const killedWithinMs = 8_000;

/**
 * The first reason counts; `graceMs` is the pod's grace period from its SIGTERM on. A job that is already over at the
 * broker is only given up: its pod learns of that by itself, and may still send the rest of its log or a state.
 */
export function makePodStop(graceMs: number): PodStop {
  const told = new AbortController();
  const hurried = new AbortController();
  const givenUp = new AbortController();
  let reason: StopReason | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isToEnd = false;
  const giveUpAfter = (ms: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => givenUp.abort(), ms).unref();
  };
  return {
    stop(why, how) {
      reason ??= why;
      if (!isToEnd) giveUpAfter(graceMs + spareMs);
      isToEnd = true;
      if (!isAnothers({ kind: why })) told.abort();
      if (how === "gently" || hurried.signal.aborted) return;
      hurried.abort();
      giveUpAfter(killedWithinMs);
    },
    reason: () => reason,
    told: told.signal,
    hurried: hurried.signal,
    givenUp: givenUp.signal,
    close: () => clearTimeout(timer),
  };
}
