import { setTimeout as pause } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { problem } from "../../../shared/problem.ts";
import type { LogLimits } from "../../config.ts";
import type { Metrics } from "../../metrics.ts";
import type { OrgId } from "../../orgs/org-id.ts";
import type { Actor } from "../../tokens/actor.ts";
import type { AppendLogs } from "./append-logs.ts";
import { makeByteBuckets } from "./byte-buckets.ts";

/** How fast logs may come. */
export type LogPace = {
  /**
   * Call before the body is read, with what it says it has: the next ones wait for it from now on. 429 when the stream
   * or the org sends too fast, 503 when too much waits here; who goes on all the same is told a second late.
   */
  readonly admit: (actor: Actor, streamId: string, sentBytes: number) => Promise<Admitted>;
  /**
   * Call when it is known what the request costs, which the next ones wait for. What is refused for its size costs its
   * stream alone: the org's other streams do not wait for it.
   */
  readonly charge: (admitted: Admitted, cost: RequestCost) => void;
};

/** A request that may be read, and what was charged for it before. */
type Admitted = { readonly orgId: OrgId; readonly streamId: string; readonly bytes: number };
type RequestCost = { readonly bytes: number; readonly isRefused: boolean };

type Parts = {
  readonly limits: LogLimits;
  readonly metrics: Metrics;
  readonly append: AppendLogs;
  /** Whether as much as may waits for the database. */
  readonly isFull: () => boolean;
};

/** A request costs its stream as much at least, whatever becomes of it. */
const leastBytes = 1024;
/** What an org may be refused a second at once; each further refusal is held for a second. */
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

/** Who does not heed a refusal gets the next one late, so that refusing costs little however fast it sends. */
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
