import postgres from "postgres";
import type { NewRole, RoleChanges } from "../../shared/api/roles.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { ListedRole } from "./row.ts";
import type { StandardRole } from "./standard-roles.ts";

/** The managed roles, then the custom ones of the org and of no org. */
export async function listRoles(db: Db, org: OrgId): Promise<ListedRole[]> {
  return db<ListedRole[]>`
    select r.*, coalesce(p.policies, '[]') as policies, c.creator
      from roles r
      left join lateral (
        select jsonb_agg(jsonb_build_object('name', x.name, 'permissions', x.permissions) order by x.name) as policies
          from role_policies x where x.role_id = r.id) p on true
      left join lateral (
        select jsonb_build_object('id', a.id, 'name', a.name, 'email', a.email, 'account_type', a.account_type) as creator
          from accounts a where a.id = r.created_by_id) c on true
     where r.org_id is null or r.org_id = ${org} order by r.managed desc, r.id`;
}

/** Writes a role of the org, which permits what its policies name; false where the org has `most` already. */
export async function insertRole(
  db: Db,
  org: OrgId,
  role: NewRole & { readonly id: string; readonly createdById: string },
  most: number,
): Promise<boolean> {
  const rows = await db<{ id: string }[]>`
    with room as materialized (select has_room_for_role(${org}, ${most}) as is_there),
    base as (select applies_to, assignable from roles, room where is_there and managed and role_type = ${role.role_type}),
    made as (
      insert into roles (id, org_id, role_type, title, description, applies_to, assignable, created_by_id)
      select ${role.id}, ${org}, ${role.role_type}, ${role.title}, ${role.description}, applies_to, assignable, ${role.createdById}
        from base
      returning id),
    permitted as (
      insert into role_policies (role_id, name, permissions)
      select ${role.id}, p.name, p.permissions
        from base, jsonb_to_recordset(${JSON.stringify(role.policies)}::text::jsonb) as p (name text, permissions text[]))
    select id from made`;
  return rows.length > 0;
}

/** Changes a role of the org as it was `seen`, and tells every broker whose permissions are others now; not-found for any other role. */
export async function changeRole(
  db: Db,
  org: OrgId,
  id: string,
  changes: RoleChanges & { readonly seen: string },
): Promise<"changed" | "not-found" | "stale"> {
  const [row] = await db<{ is_changed: boolean | null }[]>`
    select change_role(${org}, ${id}, ${JSON.stringify(changes)}::text::jsonb) as is_changed`;
  if (row?.is_changed == null) return "stale";
  return row.is_changed ? "changed" : "not-found";
}

/** Deletes a role of the org that nobody has; tokens that are over forget it. False for any other. */
export async function dropRole(db: Db, org: OrgId, id: string): Promise<boolean> {
  try {
    const rows = await db<{ id: string }[]>`
      with own as (
        select r.id from roles r
         where r.org_id = ${org} and r.id = ${id}
           and not exists (select from account_roles a where a.role_id = r.id)
           and not exists (select from tokens t where t.role_id = r.id and t.revoked_at is null
                              and (t.expires_at is null or t.expires_at > svc_now()))
           and not exists (select from org_invites i where i.org_id = r.org_id and r.id = any(i.role_ids)
                              and i.accepted_at is null and i.revoked_at is null and i.expires_at > svc_now())),
      freed as (update tokens t set role_id = null from own where t.role_id = own.id)
      delete from roles r using own where r.id = own.id returning r.id`;
    return rows.length > 0;
  } catch (error) {
    if (error instanceof postgres.PostgresError && error.code === "23503") return false; // somebody got it in this very instant
    throw error;
  }
}

/** Makes the rows of these roles, which belong to no org, what is given; answers the ids of those that were not. */
export async function writeStandardRoles(
  db: Db,
  roles: readonly StandardRole[],
): Promise<string[]> {
  const policies = roles.flatMap(({ id, policies: own }) =>
    own.map((policy) => ({ role_id: id, ...policy })),
  );
  const rows = await db<{ id: string }[]>`
    with wanted as (
      select w.* from jsonb_to_recordset(${JSON.stringify(roles)}::text::jsonb)
        as w (id text, role_type text, title text, description text, applies_to text[], assignable boolean, managed boolean, grants text[])),
    policies as (
      select w.* from jsonb_to_recordset(${JSON.stringify(policies)}::text::jsonb) as w (role_id text, name text, permissions text[])),
    written as (
      insert into roles as r (id, role_type, title, description, applies_to, assignable, managed, grants)
      select id, role_type, title, description, applies_to, assignable, managed, grants from wanted
      on conflict (id) do update
         set role_type = excluded.role_type, title = excluded.title, description = excluded.description,
             applies_to = excluded.applies_to, assignable = excluded.assignable, managed = excluded.managed,
             grants = excluded.grants, updated_at = svc_now()
       where (r.role_type, r.title, r.description, r.applies_to, r.assignable, r.managed, r.grants)
             is distinct from (excluded.role_type, excluded.title, excluded.description, excluded.applies_to,
                               excluded.assignable, excluded.managed, excluded.grants)
      returning r.id),
    permitted as (
      insert into role_policies as p (role_id, name, permissions)
      select role_id, name, permissions from policies
      on conflict (role_id, name) do update set permissions = excluded.permissions
       where p.permissions is distinct from excluded.permissions
      returning p.role_id as id),
    dropped as (
      delete from role_policies p using wanted w
       where p.role_id = w.id
         and not exists (select from policies x where x.role_id = p.role_id and x.name = p.name)
      returning p.role_id as id)
    select id::text from written union select id::text from permitted union select id::text from dropped order by id`;
  return rows.map(({ id }) => id);
}
