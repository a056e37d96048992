import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Minted, TokenRow } from "./row.ts";

/** The token. */
export async function findToken(db: Db, org: OrgId, id: string): Promise<TokenRow | undefined> {
  const [row] = await db<TokenRow[]>`select * from tokens where org_id = ${org} and id = ${id}`;
  return row;
}

export type NewTokenRow = Pick<
  TokenRow,
  | "kind"
  | "reach"
  | "token_type"
  | "name"
  | "account_id"
  | "runner_id"
  | "role_type"
  | "role_id"
  | "grants"
  | "bound_type"
  | "bound_id"
  | "issuer"
  | "source_id"
  | "source_type"
  | "created_by_id"
> & { readonly expires_at: string | null };

/** Inserts a token; undefined when its account has no role in the org, or when its runner, app or install is none of the org's live ones. */
export async function insertToken(
  db: Db,
  org: OrgId,
  minted: Minted,
  token: NewTokenRow,
): Promise<TokenRow | undefined> {
  const [row] = await db<TokenRow[]>`
    insert into tokens (id, org_id, digest, hint, kind, reach, token_type, name, account_id, runner_id, role_type,
                        role_id, grants, bound_type, bound_id, issuer, source_id, source_type, expires_at, created_by_id)
    select ${minted.id}, ${org}, ${minted.digest}, ${minted.hint}, ${token.kind}, ${token.reach}, ${token.token_type},
           ${token.name}, ${token.account_id}, ${token.runner_id}, ${token.role_type}, ${token.role_id}, ${[...token.grants]}::text[],
           ${token.bound_type}, ${token.bound_id}, ${token.issuer}, ${token.source_id}, ${token.source_type}, ${token.expires_at}::timestamptz, ${token.created_by_id}
     where (${token.account_id}::text is null
            or exists (select from account_roles where org_id = ${org} and account_id = ${token.account_id}))
       and (${token.runner_id}::text is null
            or exists (select from runners where org_id = ${org} and id = ${token.runner_id}
                          and lifecycle not in ('deprovisioned', 'deleted')))
       and (${token.bound_type}::text is distinct from 'apps'
            or exists (select from apps where org_id = ${org} and id = ${token.bound_id} and deleted_at is null))
       and (${token.bound_type}::text is distinct from 'installs'
            or exists (select from installs where org_id = ${org} and id = ${token.bound_id} and deleted_at is null))
    returning *`;
  return row;
}

/** Inserts a one-shot token of an hour; undefined when the runner is none of the org's live ones. */
export async function insertBootToken(
  db: Db,
  org: OrgId,
  minted: Minted,
  boot: { readonly runnerId: string; readonly createdById: string },
): Promise<TokenRow | undefined> {
  const [row] = await db<TokenRow[]>`
    insert into tokens (id, org_id, digest, hint, kind, token_type, name, runner_id, role_type, expires_at, created_by_id)
    select ${minted.id}, org_id, ${minted.digest}, ${minted.hint}, 'boot', 'static', 'enrolment', id, 'runner',
           svc_now() + interval '1 hour', ${boot.createdById}
      from runners
     where org_id = ${org} and id = ${boot.runnerId} and lifecycle not in ('deprovisioned', 'deleted')
    returning *`;
  return row;
}

/** Revokes the token; the time of the first revocation stays. */
export async function revokeTokenRow(
  db: Db,
  org: OrgId,
  id: string,
): Promise<TokenRow | undefined> {
  const [row] = await db<TokenRow[]>`
    update tokens set revoked_at = coalesce(revoked_at, svc_now()), updated_at = svc_now()
     where org_id = ${org} and id = ${id}
    returning *`;
  return row;
}

/** The valid static tokens of an account that were made in the org, the newest first. */
export async function listStaticTokens(
  db: Db,
  org: OrgId,
  accountId: string,
  most: number,
): Promise<TokenRow[]> {
  return db<TokenRow[]>`
    select * from tokens
     where org_id = ${org} and account_id = ${accountId} and kind = 'pat' and token_type = 'static'
       and revoked_at is null and (expires_at is null or expires_at > svc_now())
     order by created_at desc, id desc limit ${most}`;
}

/** Revokes the org's own tokens of an account that are older than one, so that of two made at once one stays; answers which. */
export async function revokeOthersOf(
  db: Db,
  org: OrgId,
  { accountId, exceptId }: { readonly accountId: string; readonly exceptId: string },
): Promise<string[]> {
  const rows = await db<{ id: string }[]>`
    update tokens set revoked_at = svc_now(), updated_at = svc_now()
     where org_id = ${org} and account_id = ${accountId} and reach = 'org' and token_type <> 'admin' and revoked_at is null
       and (created_at, id) < (select kept.created_at, kept.id from tokens kept where kept.org_id = ${org} and kept.id = ${exceptId})
    returning id`;
  return rows.map(({ id }) => id);
}

/** The instant that is so far ahead, by the database's clock. */
export async function instantIn(db: Db, ns: number): Promise<string> {
  const [row] = await db<{ at: Date }[]>`
    select svc_now() + make_interval(secs => ${ns / 1e9}::float8) as at`;
  if (row === undefined) throw new Error("a select returned no row");
  return row.at.toISOString();
}
