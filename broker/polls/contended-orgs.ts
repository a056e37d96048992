import { LRUCache } from "lru-cache";
import type { OrgId } from "../orgs/org-id.ts";

/** Orgs with a recent lock timeout: their polls are served separately, so that other orgs' polls do not wait for them. */
export type ContendedOrgs<Poll> = {
  /** The polls of the other orgs; those of contended orgs are served separately. */
  readonly withoutContended: (polls: readonly Poll[]) => readonly Poll[];
  /** Serves each of their orgs separately from now on. */
  readonly serveSeparately: (polls: readonly Poll[]) => void;
};

const apartForMs = 10_000;
const mostApart = 1_000;

/** `serve` returns whether it got the locks. Each org is served once at a time; new polls wait for the next look. */
export function makeContendedOrgs<Poll extends { readonly orgId: OrgId }>(
  serve: (orgId: OrgId, polls: readonly Poll[]) => Promise<boolean>,
): ContendedOrgs<Poll> {
  const apart = new LRUCache<OrgId, true>({ max: mostApart, ttl: apartForMs });
  const moving = new Set<OrgId>();

  function serveSeparately(polls: readonly Poll[]): void {
    for (const [orgId, its] of Map.groupBy(polls, (poll) => poll.orgId)) {
      if (!moving.has(orgId)) void move(orgId, its);
    }
  }

  async function move(orgId: OrgId, polls: readonly Poll[]): Promise<void> {
    moving.add(orgId);
    if (await serve(orgId, polls)) apart.delete(orgId);
    else apart.set(orgId, true);
    moving.delete(orgId);
  }

  return {
    serveSeparately,
    withoutContended(polls) {
      if (apart.size === 0 && moving.size === 0) return polls;
      const isContended = ({ orgId }: Poll): boolean => apart.has(orgId) || moving.has(orgId);
      serveSeparately(polls.filter(isContended));
      return polls.filter((poll) => !isContended(poll));
    },
  };
}
