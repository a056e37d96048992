import { Problem } from "../../shared/problem.ts";
import type { Metrics } from "../metrics.ts";
import { type LimitName, type LimitsConfig, limitTable } from "./limit-settings.ts";

/** Enforces what one owner may have at once, in this broker's memory. */
export type Limits = {
  /** Whether an owner with this count has reached the limit. */
  readonly isReached: (name: LimitName, count: number) => boolean;
  /** The 429 that names the limit; it is counted. */
  readonly refusal: (name: LimitName, retryAfterS?: number) => Problem;
  /** Counts one more for the owner until the returned function is called; 429 when it has as many as it may. */
  readonly hold: (name: LimitName, owner: string) => () => void;
};

/** Long enough that clients do not retry in a loop, short enough that they do not wait for nothing. */
const againAfterS = 5;

/** The limits of one broker. */
export function makeLimits(config: LimitsConfig, metrics: Metrics): Limits {
  const refused = metrics.counter(
    "svc_bound_refusals_total",
    "Requests refused because a limit of their owner was reached.",
  );
  const held = new Map<string, number>(); // as many entries as there are holders now

  const isReached = (name: LimitName, count: number): boolean =>
    config[name] > 0 && count >= config[name];
  const refusal = (name: LimitName, retryAfterS = againAfterS): Problem => {
    refused.add({ bound: name });
    return refusalOf(name, config[name], retryAfterS);
  };

  return {
    isReached,
    refusal,
    hold(name, owner) {
      const key = `${name} ${owner}`;
      const count = held.get(key) ?? 0;
      if (isReached(name, count)) throw refusal(name);
      held.set(key, count + 1);
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        const left = (held.get(key) ?? 1) - 1;
        if (left > 0) held.set(key, left);
        else held.delete(key);
      };
    },
  };
}

function refusalOf(name: LimitName, most: number, retryAfterS: number): Problem {
  const { setting, has, next } = limitTable[name];
  return new Problem({
    status: 429,
    code: "limit_reached",
    detail: `${has(most)}, the limit set by ${setting}. ${next}`,
    headers: { "retry-after": String(retryAfterS) },
    members: { limit: name },
  });
}
