/** The last bucket, which holds all longer durations. */
export const lastBucket = 120;

const firstUptoS = 0.01;
const perDoubling = 4;

/** How many jobs had a duration in which bucket: one figure a bucket. */
export type BucketCounts = Float64Array;

export const noCounts = (): BucketCounts => new Float64Array(lastBucket + 1);

/** The longest duration of a bucket, in seconds; the database puts durations there by the same rule (`duration_bucket`). */
export function bucketUptoS(bucket: number): number {
  return firstUptoS * 2 ** (bucket / perDoubling);
}

const code = (character: string): number => character.charCodeAt(0);
const [zero, nine, colon] = [code("0"), code("9"), code(":")];
const [comma, brace] = [code(","), code("}")];

/**
 * Adds counts as the database writes them, of one row or of several: `{"20": 3, "24": 5},{"24": 1}`. A chart has thousands of these, and as
 * values of JSON they would cost many times as much.
 */
export function addStored(counts: BucketCounts, stored: string): void {
  let bucket = 0;
  let number = -1;
  for (let at = 0; at < stored.length; at += 1) {
    const character = stored.charCodeAt(at);
    if (character >= zero && character <= nine) {
      number = Math.max(number, 0) * 10 + character - zero;
    } else if (character === colon) {
      bucket = Math.min(number, lastBucket);
      number = -1;
    } else if (character === comma || character === brace) {
      if (number >= 0) counts[bucket] = (counts[bucket] ?? 0) + number;
      number = -1;
    }
  }
}

/**
 * The durations that these shares of all (ascending) do not exceed, in seconds; undefined when there are none. Each is in the same
 * bucket as the exact one, so at most 19 % off, and never over the longest.
 */
export function percentilesS(
  counts: BucketCounts,
  shares: readonly number[],
  longestS: number,
): number[] | undefined {
  let all = 0;
  for (let at = 0; at <= lastBucket; at += 1) all += counts[at] ?? 0; // its iterator takes ten times as long
  if (all === 0) return undefined;
  let bucket = 0;
  let below = 0;
  return shares.map((share) => {
    const rank = Math.max(1, Math.ceil(share * all));
    while (below + (counts[bucket] ?? 0) < rank) {
      below += counts[bucket] ?? 0;
      bucket += 1;
    }
    const fromS = bucket === 0 ? 0 : bucketUptoS(bucket - 1);
    const uptoS = bucket === lastBucket ? longestS : bucketUptoS(bucket);
    const within = (rank - below) / (counts[bucket] ?? 1);
    return Math.min(longestS, fromS + within * (uptoS - fromS));
  });
}
