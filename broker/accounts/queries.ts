import type { Db } from "../database/connect.ts";
import type { ListRequest } from "../database/page-request.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Member } from "./row.ts";

/** The account, if it has a role in the org; of its other orgs those that the viewer's account is in, too. */
export async function findMember(
  db: Db,
  org: OrgId,
  id: string,
  viewer: string | null,
): Promise<Member | undefined> {
  const [row] = await db<Member[]>`
    select a.*, a.created_at::text as sort_key, array_agg(ar.role_id order by ar.role_id)::text[] as role_ids,
           ${orgsOf(db, org, viewer)} as org_ids
      from accounts a join account_roles ar on ar.account_id = a.id and ar.org_id = ${org}
     where a.id = ${id}
     group by a.id`;
  return row;
}

/** The issuers with which a person signed in as this account. */
export async function listIdentities(db: Db, accountId: string): Promise<string[]> {
  const rows = await db<{ issuer: string }[]>`
    select issuer from sign_in_identities where account_id = ${accountId} order by issuer limit 100`;
  return rows.map(({ issuer }) => issuer);
}

export type MemberFilter = {
  readonly type?: string | undefined;
  /** In its name or its email. */
  readonly q?: string | undefined;
};

/** The accounts that have a role in the org, the newest first. */
export async function listMembers(
  db: Db,
  org: OrgId,
  {
    viewer,
    filter: { type, q },
    ...page
  }: ListRequest & { readonly viewer: string | null; readonly filter: MemberFilter },
): Promise<Member[]> {
  return db<Member[]>`
    select a.*, a.created_at::text as sort_key, array_agg(ar.role_id order by ar.role_id)::text[] as role_ids,
           ${orgsOf(db, org, viewer)} as org_ids
      from accounts a join account_roles ar on ar.account_id = a.id and ar.org_id = ${org}
     where (${page.after === undefined}
            or (a.created_at, a.id) < (${page.after?.sortKey ?? "infinity"}::text::timestamptz, ${page.after?.id ?? ""}))
       ${type === undefined ? db`` : db`and a.account_type = ${type}`}
       ${q === undefined ? db`` : db`and strpos(lower(a.name || ' ' || a.email), lower(${q})) > 0`}
     group by a.id
     order by a.created_at desc, a.id desc
     limit ${page.limit} offset ${page.offset}`;
}

/** Inserts an account with its roles in the org; undefined when its subject is taken. */
export async function insertMember(
  db: Db,
  org: OrgId,
  account: {
    readonly id: string;
    readonly accountType: string;
    readonly name: string;
    readonly email: string;
    readonly subject: string;
    readonly roleIds: readonly string[];
    readonly createdById: string;
  },
): Promise<Member | undefined> {
  const [row] = await db<Member[]>`
    with account as (
      insert into accounts (id, account_type, name, email, subject, created_by_id)
      values (${account.id}, ${account.accountType}, ${account.name}, ${account.email}, ${account.subject},
              ${account.createdById})
      on conflict do nothing
      returning *),
    given as (
      insert into account_roles (account_id, org_id, role_id, created_by_id)
      select account.id, ${org}, role_id, ${account.createdById}
        from account, unnest(${account.roleIds}::text[]) role_id)
    select account.*, account.created_at::text as sort_key, ${account.roleIds}::text[] as role_ids,
           array[${org}::text] as org_ids from account`;
  return row;
}

/** The orgs of account `a` that a viewer knows of: this one, and those that the viewer's account is in. */
function orgsOf(db: Db, org: OrgId, viewer: string | null) {
  return db`
    array(select distinct o.org_id::text from account_roles o
           where o.account_id = a.id
             and (o.org_id = ${org} or o.org_id in (select v.org_id from account_roles v where v.account_id = ${viewer}))
           order by 1)`;
}

/** How a change of roles went: whether the account was found, whether it was let be as the last admin, and what the caller may not do. */
export type RolesChange = {
  readonly is_member: boolean;
  readonly is_last_admin: boolean;
  /** Roles that would be given and may not be: nothing is changed. */
  readonly beyond: readonly string[];
  /** One that would be taken and may not be. */
  readonly above: string | null;
};

/**
 * Sets the account's roles in the org; changes nothing for the org's last admin. An empty list revokes its
 * tokens here, except a person's own that reaches other orgs: an org cannot revoke for others. The rows that this
 * depends on are locked in one order, so that two admins who leave at once cannot both succeed.
 */
export async function replaceRoles(
  db: Db,
  org: OrgId,
  change: {
    readonly accountId: string;
    readonly roleIds: readonly string[];
    /** Those that may be given and taken. */
    readonly takeable: readonly string[];
    readonly byId: string;
  },
): Promise<RolesChange> {
  const [row] = await db<RolesChange[]>`
    with present as (
      select ar.account_id, ar.role_id, r.role_type, r.role_type = 'org_admin' and r.managed as is_admin
        from account_roles ar join roles r on r.id = ar.role_id
       where ar.org_id = ${org}
       order by ar.account_id, ar.role_id for update of ar),
    rights as (
      select array(select n.id from unnest(${change.roleIds}::text[]) n (id)
                    where n.id <> all(${change.takeable}::text[])
                      and not exists (select from present where account_id = ${change.accountId} and role_id = n.id)) as beyond,
             (select min(role_type) from present
               where account_id = ${change.accountId} and role_id <> all(${change.roleIds}::text[])
                 and role_id <> all(${change.takeable}::text[])) as above),
    checked as (
      select rights.*, beyond <> '{}' or above is not null as is_refused,
             exists (select from present where account_id = ${change.accountId}) as is_member,
             exists (select from present where account_id = ${change.accountId} and is_admin)
             and not exists (select from present where account_id <> ${change.accountId} and is_admin)
             and not exists (select from roles where id = any(${change.roleIds}::text[]) and role_type = 'org_admin' and managed)
               as is_last_admin
        from rights),
    gone as (
      delete from account_roles ar using checked
       where ar.org_id = ${org} and ar.account_id = ${change.accountId} and not is_last_admin and not is_refused
         and ar.role_id <> all(${change.roleIds}::text[])),
    given as (
      insert into account_roles (account_id, org_id, role_id, created_by_id)
      select ${change.accountId}, ${org}, role_id, ${change.byId}
        from checked, unnest(${change.roleIds}::text[]) role_id
       where is_member and not is_last_admin and not is_refused
      on conflict do nothing),
    revoked as (
      update tokens t set revoked_at = svc_now(), updated_at = svc_now() from checked
       where ${change.roleIds.length === 0} and t.org_id = ${org} and t.account_id = ${change.accountId}
         and t.revoked_at is null and not is_last_admin and not is_refused
         and (t.reach = 'org' or not exists (select from account_roles elsewhere
                                              where elsewhere.account_id = t.account_id and elsewhere.org_id <> ${org})))
    select is_member, is_last_admin, beyond, above from checked`;
  return row ?? { is_member: false, is_last_admin: false, beyond: [], above: null };
}

/** Renames a service account of the org alone; tells whether it is one, and whether it has a role in another org, too. */
export async function renameServiceAccount(
  db: Db,
  org: OrgId,
  { id, name }: { readonly id: string; readonly name: string },
): Promise<{ readonly is_elsewhere: boolean } | undefined> {
  const [row] = await db<{ is_elsewhere: boolean }[]>`
    with found as (
      select a.id, exists (select from account_roles x where x.account_id = a.id and x.org_id <> ${org}) as is_elsewhere
        from accounts a
       where a.id = ${id} and a.account_type = 'service'
         and exists (select from account_roles x where x.account_id = a.id and x.org_id = ${org})),
    renamed as (
      update accounts a set name = ${name}, updated_at = svc_now() from found
       where a.id = found.id and not found.is_elsewhere and a.name <> ${name})
    select is_elsewhere from found`;
  return row;
}

/** Gives the role to an account of another org of the giver's; false unless the giver's account is an admin there. */
export async function addMemberFrom(
  db: Db,
  org: OrgId,
  added: { readonly accountId: string; readonly roleId: string; readonly byId: string },
): Promise<boolean> {
  const rows = await db<{ is_there: boolean }[]>`
    with known as (
      select distinct m.account_id from account_roles m
       where m.account_id = ${added.accountId} and m.org_id <> ${org}
         and exists (select from account_roles mine join roles r on r.id = mine.role_id
                      where mine.org_id = m.org_id and mine.account_id = ${added.byId}
                        and r.managed and r.role_type = 'org_admin')),
    given as (
      insert into account_roles (account_id, org_id, role_id, created_by_id)
      select known.account_id, ${org}, ${added.roleId}, ${added.byId} from known
       where not exists (select from account_roles h where h.account_id = known.account_id and h.org_id = ${org})
      on conflict do nothing)
    select true as is_there from known`;
  return rows.length > 0;
}
