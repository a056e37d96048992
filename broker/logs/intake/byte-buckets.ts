import { growingCache } from "../../growing-cache.ts";

type Bucket = { left: number; filledAtMs: number };

const windowS = 10;
const mostBuckets = 20_000;

export type ByteBuckets = {
  /** Takes bytes from the bucket of a key; the seconds to wait when it is empty, and nothing was taken. */
  readonly take: (key: string, bytes: number) => number;
  /** Takes bytes even when the bucket is empty. */
  readonly charge: (key: string, bytes: number) => void;
};

/**
 * Admits so many bytes a second on average, and a burst of ten seconds' worth; 0 is no limit. One request may be larger
 * than what is left: later requests wait for it.
 */
export function makeByteBuckets(perS: number): ByteBuckets {
  const buckets = growingCache<string, Bucket>(mostBuckets);
  const quota = perS * windowS;

  function filled(key: string): Bucket {
    const nowMs = performance.now();
    const bucket = buckets.get(key) ?? { left: quota, filledAtMs: nowMs };
    bucket.left = Math.min(quota, bucket.left + ((nowMs - bucket.filledAtMs) / 1000) * perS);
    bucket.filledAtMs = nowMs;
    buckets.set(key, bucket);
    return bucket;
  }

  return {
    take: (key, bytes) => {
      if (perS === 0) return 0;
      const bucket = filled(key);
      if (bucket.left <= 0) return Math.max(1, Math.ceil(-bucket.left / perS));
      bucket.left -= bytes;
      return 0;
    },
    charge: (key, bytes) => {
      if (perS > 0) filled(key).left -= bytes;
    },
  };
}
