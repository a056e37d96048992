import { type BackoffLimits, backoffMs } from "../client/backoff.ts";
import { exitCodes } from "../shutdown/exit-codes.ts";
import type { Seen } from "./driver.ts";

/** What to do about the agent now. */
export type Advice =
  | { readonly do: "nothing" }
  | { readonly do: "start" }
  | { readonly do: "wait"; readonly ms: number }
  /** It ended because somebody asked it to: it stays ended. */
  | { readonly do: "leave"; readonly why: string };

/** Decides when an agent that ended is started again. */
export type Keeper = {
  readonly advise: (seen: Seen, nowMs: number) => Advice;
  /** It was started. */
  readonly started: (nowMs: number) => void;
  /** The next start does not wait. */
  readonly forgive: () => void;
};

/** After so long it counts as well, and the delays begin anew. */
const healthyMs = 60_000;

const { done, interrupted, killed, terminated, restart, usage, unauthorized, config } = exitCodes;
const asked: readonly number[] = [done, interrupted, killed, terminated].map(({ code }) => code);
/** It would end the same way again, until somebody mends something. */
const hopeless: readonly number[] = [usage, unauthorized, config].map(({ code }) => code);

/** Whether an agent that ended with this code would end the same way at once. */
export const isHopeless = (code: number | undefined): boolean => hopeless.includes(code ?? -1);

/** Makes a keeper of an agent that has not been seen yet. Delays are random, double, and are bounded. */
export function makeKeeper(limits: BackoffLimits): Keeper {
  let key: string | undefined;
  let isKnown = false;
  let sinceMs = 0;
  let failures = 0;
  let startAtMs = 0;

  function ended(seen: Seen, nowMs: number): Advice | undefined {
    isKnown = false;
    if (seen.exitCode !== undefined && asked.includes(seen.exitCode)) {
      return { do: "leave", why: `it was asked to end (exit code ${seen.exitCode})` };
    }
    if (nowMs - sinceMs >= healthyMs) failures = 0;
    if (seen.exitCode === restart.code) startAtMs = nowMs;
    else if (isHopeless(seen.exitCode)) startAtMs = nowMs + limits.mostMs;
    else startAtMs = nowMs + backoffMs(failures++, limits);
    return undefined;
  }

  return {
    advise(seen, nowMs) {
      if (seen.isRunning) {
        if (!isKnown || seen.key !== key) sinceMs = nowMs;
        [isKnown, key] = [true, seen.key];
        if (nowMs - sinceMs >= healthyMs) failures = 0;
        return { do: "nothing" };
      }
      const left = isKnown ? ended(seen, nowMs) : undefined;
      if (left !== undefined) return left;
      return nowMs >= startAtMs ? { do: "start" } : { do: "wait", ms: startAtMs - nowMs };
    },
    started(nowMs) {
      [isKnown, key, sinceMs] = [true, undefined, nowMs];
    },
    forgive() {
      [failures, startAtMs, isKnown] = [0, 0, false];
    },
  };
}
