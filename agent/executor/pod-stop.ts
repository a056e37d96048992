import { isAnothers } from "../jobs/stop-cause.ts";
import type { StopReason } from "../running-job.ts";

/** How a job in a pod is stopped. */
export type PodStop = {
  readonly stop: (reason: StopReason, how: "gently" | "now") => void;
  /** Why, once it is. */
  readonly reason: () => StopReason | undefined;
  /** Its pod is to be told to go. */
  readonly told: AbortSignal;
  /** Its pod is to be killed. */
  readonly hurried: AbortSignal;
  /** Nobody waits for its pod any more. */
  readonly givenUp: AbortSignal;
  readonly close: () => void;
};

/** After its own grace a pod that is still there has a node that does not answer. */
const spareMs = 60_000;
const killedWithinMs = 8_000;

/**
 * The first reason is the one that counts; `graceMs` is what the pod has from its SIGTERM on. What is over for the broker
 * is only given up: its pod hears of that by itself, and may still have the rest of its log or a state to bring.
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
