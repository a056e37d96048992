import { growingCache } from "../growing-cache.ts";
import type { OrgId } from "../orgs/org-id.ts";

/** Whether one more event of this token is written by itself; else it is only counted. */
export type EventBudget = (org: OrgId, token: string) => boolean;

type Bucket = { left: number; filledAtMs: number };
type Bound = { readonly most: number; readonly perMinute: number };
type Bounds = Readonly<Record<"token" | "org", Bound>>;

const mostBuckets = 20_000;

/** A token's first refusals are told one by one; then a few a minute, so that nobody fills the disk by being refused. */
export const refusalBounds = {
  token: { most: 50, perMinute: 2 },
  org: { most: 200, perMinute: 10 },
} as const satisfies Bounds;

/** What is allowed is told one by one as long as people and their programs do it, and no loop that does nothing else. */
export const actBounds = {
  token: { most: 5000, perMinute: 60 },
  org: { most: 20_000, perMinute: 240 },
} as const satisfies Bounds;

/** The budget of one broker, in its memory. */
export function makeEventBudget(bounds: Bounds): EventBudget {
  const buckets = growingCache<string, Bucket>(mostBuckets);
  return (org, token) => {
    const ofOrg = fill(org, bounds.org);
    const ofToken = fill(`${org} ${token}`, bounds.token);
    if (ofOrg.left < 1 || ofToken.left < 1) return false;
    ofOrg.left -= 1;
    ofToken.left -= 1;
    return true;
  };

  function fill(key: string, { most, perMinute }: Bound): Bucket {
    const nowMs = performance.now();
    const known = buckets.get(key) ?? { left: most, filledAtMs: nowMs };
    known.left = Math.min(most, known.left + ((nowMs - known.filledAtMs) / 60_000) * perMinute);
    known.filledAtMs = nowMs;
    buckets.set(key, known);
    return known;
  }
}
