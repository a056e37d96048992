import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { actorOf } from "./actor-of.ts";
import type { Actor } from "./actor.ts";
import { findFilerCredential } from "./credential-queries.ts";

/**
 * What whoever filed something may do now that it is executed: an account by its roles in the org, a token by its own and its account's,
 * also once it has expired or was rotated. Nothing for whoever is neither.
 */
export async function findFiler(
  db: Db,
  org: OrgId,
  id: string,
): Promise<Pick<Actor, "bound" | "orgId" | "permissions">> {
  const row = await findFilerCredential(db, org, id);
  const actor = row && actorOf(row, org);
  return actor ?? { bound: null, orgId: org, permissions: new Set() };
}
