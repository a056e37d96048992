import type { Db } from "../../../broker/database/connect.ts";
import { newId } from "../../../broker/database/new-id.ts";
import { tokenDigest } from "../../../broker/tokens/token-secret.ts";
import type { RoleType } from "../../../shared/permissions.ts";
import { mintToken, tokenHint } from "../../../shared/token.ts";

/** The secret of a new token: a service account's, or, with a runner's id, that runner's own. */
export async function givenToken(
  db: Db,
  { orgId, runnerId, role }: { orgId: string; runnerId?: string; role?: RoleType },
): Promise<string> {
  const kind = runnerId === undefined ? "sa" : "rt";
  const secret = mintToken(kind);
  await db`
    insert into tokens (id, org_id, digest, hint, kind, token_type, runner_id, role_type)
    values (${newId("tok")}, ${orgId}, ${tokenDigest(secret)}, ${tokenHint(secret)}, ${kind}, 'svc',
            ${runnerId ?? null}, ${role ?? (kind === "sa" ? "org_admin" : "runner")})`;
  return secret;
}
