import type { LRUCache } from "lru-cache";
import { problem } from "../../../shared/problem.ts";
import { growingCache } from "../../growing-cache.ts";
import type { Actor } from "../../tokens/actor.ts";

type Headers = readonly (readonly [name: string, value: string])[];

/** A token bucket for each token and each org, in this broker's memory. */
export type RateLimiter = {
  /** Takes one request from both buckets and returns the headers that say what is left; 429 when one is empty. */
  readonly take: (actor: Actor) => Headers;
};

type Bucket = { left: number; filledAtMs: number };

const windowS = 10;
const maxBuckets = 50_000;

/** Each limit is an average per second, kept over ten seconds' worth; 0 means none. */
export function createRateLimiter(perS: {
  readonly token: number;
  readonly org: number;
}): RateLimiter {
  const takeOfToken = createBuckets("token", perS.token);
  const takeOfOrg = createBuckets("org", perS.org);
  return {
    take(actor) {
      const ofToken = takeOfToken(actor.tokenId ?? actor.id);
      const ofOrg = takeOfOrg(actor.orgId);
      return ofToken.length > 0 ? ofToken : ofOrg;
    },
  };
}

/** Buckets by key: each call takes one and returns the headers that say what is left; 429 when the bucket is empty. */
export function createBuckets(name: string, perS: number): (key: string) => Headers {
  const buckets = growingCache<string, Bucket>(maxBuckets);
  const quota = perS * windowS;
  const policy = ["ratelimit-policy", `"${name}";q=${quota};w=${windowS}`] as const;
  return (key) => {
    if (perS === 0) return [];
    const bucket = fill(buckets, key, { perS, quota });
    if (bucket.left < 1) {
      const detail = `Rate limit exceeded: this ${name} may make ${perS} requests per second.`;
      throw problem.tooMany(detail, waitS(bucket, perS), "rate_limited");
    }
    bucket.left -= 1;
    const resetS = Math.ceil((quota - bucket.left) / perS);
    return [policy, ["ratelimit", `"${name}";r=${Math.floor(bucket.left)};t=${resetS}`]];
  };
}

/** Buckets that are checked first and charged later, once it is known that a request counts. */
export function createLateBuckets(perS: number): {
  /** The seconds to wait when the bucket is empty, else 0. */
  readonly waitS: (key: string) => number;
  readonly charge: (key: string) => void;
} {
  const buckets = growingCache<string, Bucket>(maxBuckets);
  const quota = perS * windowS;
  return {
    waitS(key) {
      if (perS === 0) return 0;
      const bucket = fill(buckets, key, { perS, quota });
      return bucket.left < 1 ? waitS(bucket, perS) : 0;
    },
    charge(key) {
      if (perS > 0) fill(buckets, key, { perS, quota }).left -= 1;
    },
  };
}

function waitS({ left }: Bucket, perS: number): number {
  return Math.max(1, Math.ceil((1 - left) / perS));
}

/** The bucket with what has flowed into it since; a forgotten one begins full, as if it had been left alone. */
function fill(
  buckets: LRUCache<string, Bucket>,
  key: string,
  { perS, quota }: { readonly perS: number; readonly quota: number },
): Bucket {
  const nowMs = performance.now();
  const known = buckets.get(key);
  if (known !== undefined) {
    known.left = Math.min(quota, known.left + ((nowMs - known.filledAtMs) / 1000) * perS);
    known.filledAtMs = nowMs;
    return known;
  }
  const bucket = { left: quota, filledAtMs: nowMs };
  buckets.set(key, bucket);
  return bucket;
}
