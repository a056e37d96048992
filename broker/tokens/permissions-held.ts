import type { Permission } from "../../shared/permissions.ts";
import type { Db } from "../database/connect.ts";
import { permissionsIn } from "../roles/permissions-in.ts";
import { actorOf } from "./actor-of.ts";
import { listCredentials } from "./credential-queries.ts";
import type { TokenRow } from "./row.ts";

/** What a token permits in its org: its role, whatever its account has of that now; of one without a role what its account may. */
export async function permissionsHeld(db: Db, token: TokenRow): Promise<readonly Permission[]> {
  const [row] = await listCredentials(db, [Buffer.from(token.digest).toString("hex")]);
  if (row === undefined) return []; // no such token any more
  const { role_type: type, grants, role_left: left, bound_id: boundId } = row;
  if (type !== null) return permissionsIn({ type, grants, left }, boundId !== null);
  return [...(actorOf(row, token.org_id)?.permissions ?? [])];
}
