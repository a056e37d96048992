/** How often a text is made anew: so many times at once, and so many a second after that. */
export type Pace = { readonly burst: number; readonly perS: number };

/**
 * A text that is made anew for who asks, unless many ask: then they get the one before, so that asking for it costs
 * others nothing.
 */
export function pacedText(
  make: () => string,
  { burst, perS }: Pace,
  nowMs: () => number = () => performance.now(),
): () => string {
  let left = burst;
  let atMs = nowMs();
  let text: string | undefined;
  return () => {
    const now = nowMs();
    left = Math.min(burst, left + ((now - atMs) / 1000) * perS);
    atMs = now;
    if (text !== undefined && left < 1) return text;
    left = Math.max(0, left - 1);
    return (text = make());
  };
}
