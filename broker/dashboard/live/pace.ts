/** How often those who are told of changes ask anew, all of a broker together. */
const askedPerS = 50;
const restMs = { least: 1000, most: 20_000 };

/** How long a page's stream rests between two hints, and how late its first one may be. */
export type Pace = { readonly restMs: () => number; readonly delayMs: () => number };

/**
 * Counts the open pages of each org. The more there are, the longer each rests, so that hints make a broker answer so many requests a
 * second and no more; orgs share these alike. A hint for many is spread, so that they do not ask at once.
 */
export function makePaces(): {
  readonly enter: (orgId: string) => Pace & { readonly leave: () => void };
  readonly open: () => number;
} {
  const orgs = new Map<string, number>();
  let open = 0;
  const add = (orgId: string, by: 1 | -1): void => {
    open += by;
    const own = (orgs.get(orgId) ?? 0) + by;
    if (own > 0) orgs.set(orgId, own);
    else orgs.delete(orgId);
  };
  const roundMs = (orgId: string): number => {
    const wantedMs = ((orgs.get(orgId) ?? 0) * orgs.size * 1000) / askedPerS;
    return Math.min(wantedMs, restMs.most);
  };
  return {
    enter(orgId) {
      add(orgId, 1);
      return {
        restMs: () => Math.max(roundMs(orgId), restMs.least),
        delayMs: () => ((orgs.get(orgId) ?? 0) <= 1 ? 0 : (Math.random() * roundMs(orgId)) / 2),
        leave: () => add(orgId, -1),
      };
    },
    open: () => open,
  };
}
