import { problem } from "../../shared/problem.ts";
import { parseToken } from "../../shared/token.ts";
import type { Db } from "../database/connect.ts";
import { actorOf } from "./actor-of.ts";
import type { Actor } from "./actor.ts";
import { listCredentials } from "./credential-queries.ts";
import type { Minted, TokenRow, TokenWithSecret } from "./row.ts";
import { mint, tokenDigest } from "./token-secret.ts";

/** Who asks with this one-time token, whether it is valid still or not; undefined when there never was such a token. */
export async function findEnroller(db: Db, bootSecret: string): Promise<Actor | undefined> {
  if (parseToken(bootSecret)?.kind !== "boot") return undefined;
  const [row] = await listCredentials(db, [tokenDigest(bootSecret).toString("hex")]);
  return row && actorOf(row, row.org_id);
}

/**
 * Exchanges a one-time token for its runner's token, which lives 90 days and is rotated by its agent. Within its hour, and
 * until the runner's token has been used, it can be exchanged again and the earlier one is revoked: an agent that lost the
 * answer asks again, and there are never two valid tokens. All other requests get 401.
 */
export async function enrol(db: Db, bootSecret: string): Promise<TokenWithSecret> {
  if (parseToken(bootSecret)?.kind !== "boot") throw refused();
  const minted = mint("rt");
  const row = await spend(db, tokenDigest(bootSecret), minted);
  if (row === undefined) throw refused();
  return { row, secret: minted.secret };
}

/**
 * One statement: the row of the one-time token is the lock. A request that waited for it sees that it was exchanged, but not yet
 * by what, and gets nothing; and a token that is used in this very instant is not revoked, and nothing comes after it.
 */
async function spend(db: Db, digest: Buffer, minted: Minted): Promise<TokenRow | undefined> {
  const [row] = await db<TokenRow[]>`
    with boot as (
      select boot.* from tokens boot join runners r on r.org_id = boot.org_id and r.id = boot.runner_id
       where boot.digest = ${digest} and boot.kind = 'boot' and boot.revoked_at is null
         and boot.expires_at > svc_now() and r.lifecycle not in ('deprovisioned', 'deleted')
         for update of boot),
    dropped as (
      update tokens former set revoked_at = svc_now(), updated_at = svc_now() from boot
       where former.org_id = boot.org_id and former.id = boot.replaced_by
         and former.used_at is null and former.revoked_at is null
      returning former.id),
    fresh as (
      insert into tokens (id, org_id, digest, hint, kind, token_type, name, runner_id, role_type, source_id, source_type,
                          expires_at, created_by_id)
      select ${minted.id}, org_id, ${minted.digest}, ${minted.hint}, 'rt', 'svc', 'enrolled agent', runner_id, 'runner',
             id, 'token', svc_now() + interval '90 days', created_by_id
        from boot
       where used_at is null or replaced_by in (select id from dropped)
      returning *),
    spent as (
      update tokens t
         set used_at = coalesce(t.used_at, svc_now()), last_used_at = svc_now(), updated_at = svc_now(),
             replaced_by = fresh.id
        from fresh, boot
       where t.org_id = boot.org_id and t.id = boot.id)
    select * from fresh`;
  return row;
}

function refused(): Error {
  return problem.unauthenticated(
    "The enrolment token is invalid: it is unknown, used, revoked or older than an hour. Create a new one.",
    "invalid_token",
  );
}
