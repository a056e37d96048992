type Bucket = { left: number; filledAtMs: number };

const windowS = 10;
const mostBuckets = 20_000;

/** Takes bytes from the bucket of a key; the seconds to wait when it is empty, and nothing was taken. */
export type ByteBuckets = (key: string, bytes: number) => number;

/**
 * Lets so many bytes a second through on average, ten seconds' worth at once; 0 is no limit. One request may be larger
 * than what is left: the next ones wait for it.
 */
export function makeByteBuckets(perS: number): ByteBuckets {
  const buckets = new Map<string, Bucket>();
  const quota = perS * windowS;
  return (key, bytes) => {
    if (perS === 0) return 0;
    const nowMs = performance.now();
    const bucket = buckets.get(key) ?? { left: quota, filledAtMs: nowMs };
    bucket.left = Math.min(quota, bucket.left + ((nowMs - bucket.filledAtMs) / 1000) * perS);
    bucket.filledAtMs = nowMs;
    buckets.delete(key);
    buckets.set(key, bucket);
    const [oldest] = buckets.keys();
    if (buckets.size > mostBuckets && oldest !== undefined) buckets.delete(oldest);
    if (bucket.left <= 0) return Math.max(1, Math.ceil(-bucket.left / perS));
    bucket.left -= bytes;
    return 0;
  };
}
