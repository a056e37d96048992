import { setTimeout as pause } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { problem } from "../../../shared/problem.ts";
import type { Metrics } from "../../metrics.ts";
import type { OrgId } from "../../orgs/org-id.ts";
import type { Actor } from "../../tokens/actor.ts";
import type { LogLimits } from "../log-settings.ts";
import type { AppendLogs } from "./append-logs.ts";
import { makeByteBuckets } from "./byte-buckets.ts";

/** The rate limits of logs. */
export type LogPace = {
  /**
   * Call before the body is read, with its declared size, which is charged at once. 429 when the stream
   * or the org sends too fast, 503 when too much is waiting here; a sender that ignores this gets the next refusal a second later.
   */
  readonly admit: (actor: Actor, streamId: string, sentBytes: number) => Promise<Admitted>;
  /**
   * Call when the request's cost is known. A request that is refused for its size is charged to its
   * stream only: the org's other streams do not wait for it.
   */
  readonly charge: (admitted: Admitted, cost: RequestCost) => void;
};

/** An admitted request, and what it was charged. */
type Admitted = { readonly orgId: OrgId; readonly streamId: string; readonly bytes: number };
type RequestCost = { readonly bytes: number; readonly isRefused: boolean };

type Parts = {
  readonly limits: LogLimits;
  readonly metrics: Metrics;
  readonly append: AppendLogs;
  /** Whether the queue for the database is full. */
  readonly isFull: () => boolean;
};

/** The least that a request is charged, whatever its outcome. */
const leastBytes = 1024;
/** How many refusals a second an org gets at once; each further one is delayed by a second. */
const refusalsPerS = 20;
const holdMs = 1000;
const mostHeld = 2000;

/** The buckets of streams and orgs at one broker. */
export function makeLogPace({ limits, metrics, append, isFull }: Parts): LogPace {
  const slowed = metrics.counter("svc_log_slowed_total", "Log requests over the rate limit.");
  const held = metrics.counter("svc_log_held_total", "Refusals of logs that were told late.");
  const ofStream = makeByteBuckets(limits.streamBytesPerS);
  const ofOrg = makeByteBuckets(limits.orgBytesPerS);
  const tellSlowed = makeTellSlowed(append);
  const slowDown = makeSlowDown(held.add);
  return {
    admit: async ({ orgId }, streamId, sentBytes) => {
      if (isFull()) {
        slowed.add({ limit: "broker" });
        throw problem.unavailable("Too many logs are waiting to be written. Try again later.", 1);
      }
      const bytes = Math.max(leastBytes, sentBytes);
      const streamS = ofStream.take(streamId, bytes);
      const waitS = streamS > 0 ? streamS : ofOrg.take(orgId, bytes);
      if (waitS === 0) return { orgId, streamId, bytes };
      if (streamS === 0) ofStream.charge(streamId, leastBytes - bytes);
      slowed.add({ limit: streamS > 0 ? "stream" : "org" });
      const perS = streamS > 0 ? limits.streamBytesPerS : limits.orgBytesPerS;
      const whose = streamS > 0 ? "This log stream" : "The log streams of this org";
      const words = `Rate limit exceeded: ${whose} may write ${perS} bytes per second.`;
      tellSlowed(orgId, streamId, words);
      await slowDown(orgId);
      throw problem.tooMany(words, waitS, "logs_too_fast");
    },
    charge: ({ orgId, streamId, bytes: charged }, { bytes, isRefused }) => {
      const more = Math.max(leastBytes, bytes) - charged;
      ofStream.charge(streamId, more);
      ofOrg.charge(orgId, isRefused ? -charged : more);
    },
  };
}

/** Delays refusals to a sender that ignores them, so that refusing stays cheap however fast it sends. */
function makeSlowDown(onHeld: () => void): (orgId: OrgId) => Promise<void> {
  const refusals = makeByteBuckets(refusalsPerS);
  let held = 0;
  return async (orgId) => {
    if (refusals.take(orgId, 1) === 0 || held >= mostHeld) return;
    held += 1;
    onHeld();
    await pause(holdMs);
    held -= 1;
  };
}

const tellEveryMs = 60_000;
const mostTold = 5_000;

/** Leaves a notice in a stream whose sender is slowed, once a minute. */
function makeTellSlowed(
  append: AppendLogs,
): (orgId: OrgId, streamId: string, words: string) => void {
  const told = new LRUCache<string, true>({ max: mostTold, ttl: tellEveryMs });
  return (orgId, streamId, words) => {
    if (told.has(streamId)) return;
    told.set(streamId, true);
    const notice = {
      atUs: Date.now() * 1000,
      severity: 13,
      body: `svc: ${words} The sender is slowed down; its records arrive later.`,
      resource: {},
      attributes: { "svc.notice": "slowed" },
    };
    // A stream that is closed or gone needs no notice.
    append({ orgId, streamId, entries: [notice] }).catch(() => {});
  };
}
