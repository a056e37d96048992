import type { OrgId } from "../../../broker/orgs/org-id.ts";
import type { Actor } from "../../../broker/tokens/actor.ts";
import { rolePermissions } from "../../../shared/permissions.ts";

/** Whom a command is told to act for where no request asks: an org's admin, but for what is given. */
export function givenActor(orgId: OrgId, members: Partial<Omit<Actor, "orgId">> = {}): Actor {
  return {
    id: "acc_1",
    kind: "sa",
    orgId,
    tokenId: null,
    accountId: null,
    roleType: "org_admin",
    runnerId: null,
    executionId: null,
    bound: null,
    permissions: new Set(rolePermissions.org_admin),
    ...members,
  };
}
