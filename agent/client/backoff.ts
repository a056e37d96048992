export type BackoffLimits = {
  /** The longest wait before the first repetition; it doubles from there. */
  readonly fromMs: number;
  readonly mostMs: number;
};

const longestObeyedMs = 10 * 60_000;

/**
 * How long to wait before the nth repetition (from 0): anything up to a bound that doubles, so that agents cut off
 * together do not come back together. What the broker asks for is obeyed, and never undercut.
 */
export function backoffMs(nth: number, limits: BackoffLimits, askedMs?: number): number {
  const bound = Math.min(limits.mostMs, limits.fromMs * 2 ** Math.min(nth, 30));
  const drawn = Math.random() * bound;
  return askedMs === undefined ? drawn : Math.min(askedMs, longestObeyedMs) + drawn / 4;
}

/** What a Retry-After header asks for, in ms: seconds or an instant. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}
