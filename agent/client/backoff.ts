export type BackoffLimits = {
  /** The longest wait before the first repetition; it doubles from there. */
  readonly fromMs: number;
  readonly mostMs: number;
};

/**
 * How long to wait before the nth repetition (from 0): anything up to a bound that doubles, so that agents cut off
 * together do not come back together. What the broker asks for is obeyed, and never undercut.
 */
export function backoffMs(nth: number, limits: BackoffLimits, askedMs?: number): number {
  const bound = Math.min(limits.mostMs, limits.fromMs * 2 ** Math.min(nth, 30));
  const drawn = Math.random() * bound;
  return askedMs === undefined ? drawn : askedMs + drawn / 4;
}

/** The broker is obeyed for up to a day; who stands between, and may speak of anything, for ten minutes. */
const obeyedMs = { broker: 86_400_000, others: 600_000 } as const;

/** What a Retry-After header asks for, in ms, as far as it is obeyed: seconds or an instant. */
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
