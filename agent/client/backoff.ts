export type BackoffLimits = {
  /** The longest delay before the first retry; it doubles with each. */
  readonly fromMs: number;
  readonly mostMs: number;
};

/**
 * The delay before the nth retry (from 0): random, up to a limit that doubles, so that agents cut off together do not
 * return together. A Retry-After of the broker is a minimum.
 */
export function backoffMs(nth: number, limits: BackoffLimits, askedMs?: number): number {
  const bound = Math.min(limits.mostMs, limits.fromMs * 2 ** Math.min(nth, 30));
  const drawn = Math.random() * bound;
  return askedMs === undefined ? drawn : askedMs + drawn / 4;
}

/** Retry-After of the broker counts up to a day; that of anything in between up to ten minutes. */
const obeyedMs = { broker: 86_400_000, others: 600_000 } as const;

/** The delay that a Retry-After header asks for, in ms, limited; it may be seconds or a date. */
export function retryAfterMs(
  header: string | undefined,
  nowMs: number,
  from: keyof typeof obeyedMs,
): number | undefined {
  if (header === undefined) return undefined;
  const isSeconds = /^\d+$/.test(header.trim());
  const asked = isSeconds ? Number(header) * 1000 : Date.parse(header) - nowMs;
  return Number.isNaN(asked) ? undefined : Math.min(Math.max(0, asked), obeyedMs[from]);
}
