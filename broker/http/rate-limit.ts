import { problem } from "../../shared/problem.ts";
import type { Actor } from "../tokens/actor.ts";

/** A token bucket for each token and each org, in this broker's memory. */
export type RateLimiter = {
  /** Takes one request from both buckets and answers the headers that tell what is left; 429 when one is empty. */
  readonly take: (actor: Actor) => readonly (readonly [name: string, value: string])[];
};

type Bucket = { left: number; filledAtMs: number };
type Limit = {
  readonly name: string;
  readonly perS: number;
  readonly buckets: Map<string, Bucket>;
};

const windowS = 10;
const maxBuckets = 100_000;

/** Each limit is an average per second, kept over ten seconds' worth; 0 means none. */
export function createRateLimiter(perS: {
  readonly token: number;
  readonly org: number;
}): RateLimiter {
  const token: Limit = { name: "token", perS: perS.token, buckets: new Map() };
  const org: Limit = { name: "org", perS: perS.org, buckets: new Map() };
  return {
    take(actor) {
      const ofToken = takeOne(token, actor.tokenId ?? actor.id);
      const ofOrg = takeOne(org, actor.orgId);
      const tightest = ofToken ?? ofOrg;
      return tightest === undefined ? [] : tightest;
    },
  };
}

/** Buckets of their own for any other key: takes one request, 429 when the key's bucket is empty. */
export function createBuckets(name: string, perS: number): (key: string) => void {
  const limit: Limit = { name, perS, buckets: new Map() };
  return (key) => void takeOne(limit, key);
}

function takeOne(
  { name, perS, buckets }: Limit,
  key: string,
): readonly (readonly [string, string])[] | undefined {
  if (perS === 0) return undefined;
  const quota = perS * windowS;
  const nowMs = performance.now();
  const bucket = buckets.get(key) ?? addBucket(buckets, key, { left: quota, filledAtMs: nowMs });
  bucket.left = Math.min(quota, bucket.left + ((nowMs - bucket.filledAtMs) / 1000) * perS);
  bucket.filledAtMs = nowMs;
  if (bucket.left < 1) {
    const waitS = Math.max(1, Math.ceil((1 - bucket.left) / perS));
    throw problem.tooMany(
      `This ${name} may make ${perS} requests a second.`,
      waitS,
      "rate_limited",
    );
  }
  bucket.left -= 1;
  const resetS = Math.ceil((quota - bucket.left) / perS);
  return [
    ["ratelimit-policy", `"${name}";q=${quota};w=${windowS}`],
    ["ratelimit", `"${name}";r=${Math.floor(bucket.left)};t=${resetS}`],
  ];
}

/** The oldest bucket goes first; it begins full again, which is what a bucket left alone would be. */
function addBucket(buckets: Map<string, Bucket>, key: string, bucket: Bucket): Bucket {
  const [oldest] = buckets.keys();
  if (buckets.size >= maxBuckets && oldest !== undefined) buckets.delete(oldest);
  buckets.set(key, bucket);
  return bucket;
}
