/** A second either way is nothing to speak of. */
const toleranceMs = 1000;

/**
 * How many seconds another clock is ahead, at least, when it told its whole second between two instants of ours; 0 when
 * it may well agree. However long the answer took on its way, that is no fault of the clock.
 */
export function clockSkewS(
  toldMs: number,
  { startMs, endMs }: { readonly startMs: number; readonly endMs: number },
): number {
  const aheadMs = toldMs - endMs;
  const behindMs = startMs - (toldMs + 999);
  if (aheadMs > toleranceMs) return Math.ceil(aheadMs / 1000);
  if (behindMs > toleranceMs) return -Math.ceil(behindMs / 1000);
  return 0;
}
