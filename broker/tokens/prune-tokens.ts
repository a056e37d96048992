import type postgres from "postgres";
import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import { hasRunner } from "../jobs/queries.ts";
import { requireOperator } from "../runners/require-operator.ts";
import type { Actor } from "./actor.ts";
import type { Authenticator } from "./authenticator.ts";
import { permissionsHeld } from "./permissions-held.ts";
import type { TokenRow } from "./row.ts";
import { requireChange } from "./token-rules.ts";

const mostAtOnce = 200;

/**
 * Revokes the runner's tokens that are past their end or replaced by one in use; answers which. None where the caller may
 * not revoke one of them; never its own, nor one that is in use. At most so many at once.
 */
export async function pruneTokens(
  { db, authenticator }: { readonly db: Db; readonly authenticator: Authenticator },
  actor: Actor,
  runnerId: string,
): Promise<readonly string[]> {
  const { orgId } = actor;
  if (!(await hasRunner(db, orgId, runnerId))) throw problem.notFound("runner");
  await requireOperator(db, actor, { runner_id: runnerId });
  const idle = idleTokens(db, actor, runnerId);
  const found = await db<TokenRow[]>`
    select t.* from tokens t where ${idle} order by t.id limit ${mostAtOnce}`;
  for (const token of found)
    requireChange(actor, "revoke", token, await permissionsHeld(db, token));
  const revoked = await db<{ id: string }[]>`
    update tokens t set revoked_at = svc_now(), updated_at = svc_now()
     where ${idle} and t.id = any(${found.map(({ id }) => id)})
    returning t.id`;
  authenticator.forget(revoked.map(({ id }) => id));
  return revoked.map(({ id }) => id);
}

function idleTokens(
  db: Db,
  { orgId, tokenId }: Pick<Actor, "orgId" | "tokenId">,
  runnerId: string,
): postgres.Fragment {
  return db`
    t.org_id = ${orgId} and t.runner_id = ${runnerId} and t.kind in ('rt', 'boot') and t.revoked_at is null
    and t.id is distinct from ${tokenId}
    and (t.expires_at <= svc_now()
         or (coalesce(t.last_used_at < svc_now() - interval '5 minutes', true)
             and exists (select from tokens next
                          where next.org_id = t.org_id and next.id = t.replaced_by
                            and next.used_at is not null and next.revoked_at is null
                            and (next.expires_at is null or next.expires_at > svc_now()))))`;
}
