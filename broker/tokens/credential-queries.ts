import type {
  BoundType,
  GrantablePermission,
  Permission,
  RoleType,
} from "../../shared/permissions.ts";
import type { TokenKind } from "../../shared/token.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { TokenReach } from "./row.ts";

/** The types of an account's roles in an org, and what the roles grant beyond these. */
export type AccountRoles = {
  readonly types: readonly RoleType[];
  readonly grants: readonly GrantablePermission[];
  /** Roles of the org, each narrowed to these permissions. */
  readonly narrowed: readonly { readonly type: RoleType; readonly left: readonly Permission[] }[];
};

/** What is needed to identify a token's caller. Not parsed at run time; seen by the authenticator only. */
export type CredentialRow = {
  readonly digest: string;
  readonly id: string;
  readonly org_id: OrgId;
  readonly kind: TokenKind;
  readonly reach: TokenReach;
  readonly token_type: string;
  readonly account_id: string | null;
  readonly runner_id: string | null;
  readonly role_type: RoleType | null;
  readonly bound_type: BoundType | null;
  readonly bound_id: string | null;
  /** What is left of its role, where that is narrowed. */
  readonly role_left: readonly Permission[] | null;
  readonly is_revoked: boolean;
  readonly is_unused: boolean;
  /** Milliseconds by the database's clock; null when it does not expire. */
  readonly expires_in_ms: number | null;
  readonly grants: readonly GrantablePermission[];
  /** What the account has in each of its orgs; orgs are looked up with `Object.hasOwn`, as callers name them. */
  readonly account_roles: Readonly<Record<OrgId, AccountRoles>> | null;
  /** Of a browser that is signed in and acts for the token; null for the token itself. */
  readonly session: SessionOfCredential | null;
};

/** Of a token that nobody presents: what it may do. */
export type FilerCredential = Omit<CredentialRow, "digest" | "expires_in_ms" | "session">;

export type SessionOfCredential = {
  readonly id: string;
  /** Of the browser that signed in, in hex. */
  readonly user_agent_digest: string;
  readonly shown_org_id: string;
};

/** The tokens of these digests (lower-case hex), with what their accounts may do; unknown ones are left out. */
export async function listCredentials(
  db: Db,
  digests: readonly string[],
): Promise<CredentialRow[]> {
  return db<CredentialRow[]>`
    select encode(t.digest, 'hex') as digest, ${tokenColumns(db)}, null as session,
           (extract(epoch from t.expires_at - svc_now()) * 1000)::float8 as expires_in_ms
      from unnest(${digests}::text[]) as sent (digest)
      join tokens t on t.digest = decode(sent.digest, 'hex')`;
}

/** The same of the sessions with these digests: what their tokens may do. */
export async function listSessionCredentials(
  db: Db,
  digests: readonly string[],
): Promise<CredentialRow[]> {
  return db<CredentialRow[]>`
    select encode(s.digest, 'hex') as digest, ${tokenColumns(db)},
           jsonb_build_object('id', s.id, 'user_agent_digest', encode(s.user_agent_digest, 'hex'),
                              'shown_org_id', s.shown_org_id) as session,
           (extract(epoch from least(s.expires_at, t.expires_at) - svc_now()) * 1000)::float8 as expires_in_ms
      from unnest(${digests}::text[]) as sent (digest)
      join dashboard_sessions s on s.digest = decode(sent.digest, 'hex') and s.purpose = 'session'
      join tokens t on t.org_id = s.org_id and t.id = s.token_id`;
}

/** A token of an org by its id, whether or not it is valid still; or what an account has by itself, as if by a token. */
export async function findFilerCredential(
  db: Db,
  org: OrgId,
  id: string,
): Promise<FilerCredential | undefined> {
  const ofAccount = { id, org_id: org, kind: "pat", reach: "account", account_id: id, grants: [] };
  const tokens = id.startsWith("acc_")
    ? db`json_populate_record(null::tokens, ${JSON.stringify(ofAccount)}::text::json)`
    : db`tokens`;
  const [row] = await db<FilerCredential[]>`
    select ${tokenColumns(db)} from ${tokens} t where t.org_id = ${org} and t.id = ${id}`;
  return row;
}

function tokenColumns(db: Db) {
  return db`
    t.id, t.org_id, t.kind, t.reach, t.token_type, t.account_id, t.runner_id, t.role_type, t.grants, t.bound_type,
           t.bound_id,
           t.revoked_at is not null as is_revoked, t.used_at is null as is_unused,
           (select jsonb_agg(distinct n.name) from role_policies p, unnest(p.permissions) as n (name)
             where p.role_id = t.role_id) as role_left,
           (select jsonb_object_agg(org_id, jsonb_build_object('types', types, 'grants', grants, 'narrowed', narrowed))
              from (select ar.org_id,
                           coalesce(jsonb_agg(distinct r.role_type) filter (where n.names is null), '[]') as types,
                           coalesce(jsonb_agg(distinct g.name) filter (where g.name is not null), '[]') as grants,
                           coalesce(jsonb_agg(distinct jsonb_build_object('type', r.role_type, 'left', n.names))
                                    filter (where n.names is not null), '[]') as narrowed
                      from account_roles ar join roles r on r.id = ar.role_id
                      left join unnest(r.grants) as g (name) on true
                      left join lateral (select jsonb_agg(distinct x.name) as names
                                           from role_policies p, unnest(p.permissions) as x (name)
                                          where p.role_id = r.id) n on r.org_id is not null
                     where ar.account_id = t.account_id
                     group by ar.org_id) by_org) as account_roles`;
}

/**
 * Stores the first use of tokens. A runner's token that a rotation replaced stays valid for ten minutes
 * from then: the agent has shown that it has the new one.
 */
export async function markFirstUse(db: Db, ids: readonly string[]): Promise<void> {
  await db`
    with used as (
      update tokens set used_at = svc_now(), last_used_at = svc_now()
       where id = any(${ids}) and used_at is null and kind <> 'boot'
      returning id, org_id)
    update tokens old
       set expires_at = least(old.expires_at, svc_now() + interval '10 minutes')
      from used
     where old.org_id = used.org_id and old.replaced_by = used.id and old.kind = 'rt'`;
}

/** Writes down that tokens are in use, for each at most once a minute. */
export async function markUse(db: Db, ids: readonly string[]): Promise<void> {
  await db`
    update tokens set last_used_at = svc_now()
     where id = any(${ids}) and (last_used_at is null or last_used_at < svc_now() - interval '1 minute')`;
}
