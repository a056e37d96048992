import type { OrgId } from "../orgs/org-id.ts";

/** Queues that are to be looked at, each org in turn: an org with thousands of them does not come before the others. */
export class DirtyQueues {
  readonly #byOrg = new Map<OrgId, Set<string>>();

  add(orgId: OrgId, queueId: string): void {
    const ids = this.#byOrg.get(orgId);
    if (ids === undefined) this.#byOrg.set(orgId, new Set([queueId]));
    else ids.add(queueId);
  }

  has(orgId: OrgId, queueId: string): boolean {
    return this.#byOrg.get(orgId)?.has(queueId) === true;
  }

  /** Removes and answers the next one of an org that is not passed over; undefined when there is none. */
  take(isPassedOver: (orgId: OrgId) => boolean): string | undefined {
    for (const [orgId, ids] of this.#byOrg) {
      const [next] = ids;
      if (next === undefined || isPassedOver(orgId)) continue;
      ids.delete(next);
      this.#byOrg.delete(orgId);
      if (ids.size > 0) this.#byOrg.set(orgId, ids); // now it is the last
      return next;
    }
    return undefined;
  }
}
