import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Minted, TokenRow, TokenWithSecret } from "./row.ts";
import { mint } from "./token-secret.ts";

export type Rotation = {
  /** One that the caller may rotate: its own, or what token-rules.ts lets it. */
  readonly token: TokenRow;
  readonly byId: string;
};

/**
 * Makes a second token with the same permissions and lifetime. The old one stays valid for 24
 * hours; a runner's until its successor has been in use for ten minutes. An unused successor is
 * revoked and replaced, so that an agent that lost the answer can ask again.
 */
export async function rotateToken(
  db: Db,
  org: OrgId,
  rotation: Rotation,
): Promise<TokenWithSecret> {
  const { token: old } = rotation;
  if (old.kind === "boot")
    throw problem.conflict("one_shot", "A one-time token cannot be rotated. Create a new one.");
  const minted = mint(old.kind);
  const row = await replaceToken(db, org, minted, rotation);
  if (row !== undefined) return { row, secret: minted.secret };
  throw problem.conflict(
    "not_rotatable",
    "This token is revoked or expired, or the token that replaced it is already in use. Rotate that one.",
  );
}

/** One statement: two rotations at once cannot both make a successor. */
async function replaceToken(
  db: Db,
  org: OrgId,
  minted: Minted,
  { token: { id: tokenId }, byId }: Rotation,
): Promise<TokenRow | undefined> {
  const [row] = await db<TokenRow[]>`
    with old as (
      select * from tokens
       where org_id = ${org} and id = ${tokenId} and revoked_at is null
         and (expires_at is null or expires_at > svc_now())
         for update),
    rotatable as (
      select old.*, next.id as unused_id,
             case when next.id is null then old.expires_at - old.issued_at
                  else next.expires_at - next.issued_at end as life
        from old left join tokens next on next.org_id = old.org_id and next.id = old.replaced_by
       where old.replaced_by is null
          or next.revoked_at is not null
          or (next.id is not null and next.used_at is null)),
    dropped as (
      update tokens t set revoked_at = svc_now(), updated_at = svc_now() from rotatable r
       where t.org_id = r.org_id and t.id = r.unused_id and t.revoked_at is null),
    fresh as (
      insert into tokens (id, org_id, digest, hint, kind, reach, token_type, name, account_id, runner_id, role_type,
                          role_id, grants, bound_type, bound_id, issuer, source_id, source_type, expires_at, created_by_id)
      select ${minted.id}, org_id, ${minted.digest}, ${minted.hint}, kind, reach, token_type, name, account_id,
             runner_id, role_type, role_id, grants, bound_type, bound_id, issuer, id, 'token', svc_now() + life, ${byId}
        from rotatable
      returning *),
    aged as (
      update tokens t
         set replaced_by = fresh.id, updated_at = svc_now(),
             expires_at = case when t.kind = 'rt' then t.expires_at
                               else least(t.expires_at, svc_now() + interval '24 hours') end
        from fresh
       where t.org_id = ${org} and t.id = ${tokenId})
    select * from fresh`;
  return row;
}
