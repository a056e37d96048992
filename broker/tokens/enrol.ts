import { problem } from "../../shared/problem.ts";
import { parseToken } from "../../shared/token.ts";
import type { Db } from "../database/connect.ts";
import { mint } from "./mint.ts";
import type { TokenRow, TokenWithSecret } from "./row.ts";
import { tokenDigest } from "./token-digest.ts";

/**
 * Exchanges a one-shot token for its runner's own, which lives 90 days and is rotated by its agent. Of many
 * at once with the same token one is served; everybody else gets 401.
 */
export async function enrol(db: Db, bootSecret: string): Promise<TokenWithSecret> {
  if (parseToken(bootSecret)?.kind !== "boot") throw refused();
  const minted = mint("rt");
  const [row] = await db<TokenRow[]>`
    with spent as (
      update tokens boot set used_at = svc_now(), last_used_at = svc_now(), updated_at = svc_now()
        from runners r
       where boot.digest = ${tokenDigest(bootSecret)} and boot.kind = 'boot' and boot.used_at is null
         and boot.revoked_at is null and boot.expires_at > svc_now()
         and r.org_id = boot.org_id and r.id = boot.runner_id and r.lifecycle not in ('deprovisioned', 'deleted')
      returning boot.*)
    insert into tokens (id, org_id, digest, hint, kind, token_type, name, runner_id, role_type, source_id, source_type,
                        expires_at, created_by_id)
    select ${minted.id}, org_id, ${minted.digest}, ${minted.hint}, 'rt', 'svc', 'enrolled agent', runner_id, 'runner',
           id, 'token', svc_now() + interval '90 days', created_by_id
      from spent
    returning *`;
  if (row === undefined) throw refused();
  return { row, secret: minted.secret };
}

function refused(): Error {
  return problem.unauthenticated(
    "This is no enrolment token, or it is spent, revoked or older than an hour.",
    "invalid_token",
  );
}
