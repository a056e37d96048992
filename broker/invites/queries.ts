import postgres from "postgres";
import type { Db } from "../database/connect.ts";
import type { ListRequest } from "../database/page-request.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Listed } from "../resources/rows-of.ts";
import { type InviteRow, inviteRows } from "./invite-rows.ts";

/** Who is invited: an account, or whoever has this secret. */
export type Invited =
  | { readonly accountId: string }
  | { readonly email: string; readonly secretDigest: Buffer };
export type NewInviteRow = {
  readonly id: string;
  readonly to: Invited;
  readonly roleIds: readonly string[];
  readonly livesNs: number;
  readonly createdById: string;
};

/** Invites: created, no-account, member or invited (an invitation that is open). One that expired makes way. */
export async function insertInvite(
  db: Db,
  org: OrgId,
  { id, to, roleIds, livesNs, createdById }: NewInviteRow,
): Promise<string> {
  const { accountId, email, secretDigest } = {
    accountId: null,
    email: "",
    secretDigest: null,
    ...to,
  };
  const [row] = await db<{ outcome: string }[]>`
    with facts as (
      select ${accountId}::text is null or exists (select from accounts where id = ${accountId}) as is_known,
             exists (select from account_roles where org_id = ${org} and account_id = ${accountId}) as is_member),
    made as (
      insert into org_invites as i (id, org_id, account_id, email, secret_digest, role_ids, expires_at, created_by_id)
      select ${id}, ${org}, ${accountId}, ${email}, ${secretDigest}::bytea, ${[...roleIds]}::text[], ${until(db, livesNs)}, ${createdById}
        from facts where is_known and not is_member
      on conflict ${accountId === null ? db`(org_id, lower(email)) where email <> '' and` : db`(org_id, account_id) where`}
           accepted_at is null and revoked_at is null do update
         set id = excluded.id, email = excluded.email, secret_digest = excluded.secret_digest, role_ids = excluded.role_ids,
             expires_at = excluded.expires_at, created_at = svc_now(), created_by_id = excluded.created_by_id,
             resent_at = null, resent_by_id = ''
       where i.expires_at <= svc_now()
      returning id)
    select case when not is_known then 'no-account' when is_member then 'member'
                when exists (select from made) then 'created' else 'invited' end as outcome
      from facts`;
  return row?.outcome ?? "no-account";
}

/** An invitation, of whatever org: its account is to be compared by who asks. */
export async function findAnyInvite(db: Db, id: string): Promise<InviteRow | undefined> {
  const [row] = await db<InviteRow[]>`${db.unsafe(inviteRows.select)} where i.id = ${id}`;
  return row;
}

/** The invitations of one account, of all orgs, the newest first. */
export async function listInvitesOf(
  db: Db,
  accountId: string,
  { after, limit, offset }: ListRequest,
): Promise<Listed<InviteRow>[]> {
  return db<Listed<InviteRow>[]>`
    ${db.unsafe(inviteRows.select)}
     where i.account_id = ${accountId} and i.id < ${after?.id ?? "~"} order by i.id desc limit ${limit} offset ${offset}`;
}

/** Whether a role that an invitation brings was deleted since it was made. */
export async function lacksRoleNow(db: Db, id: string): Promise<boolean> {
  const rows = await db`select from org_invites i where i.id = ${id} and ${lacksRole(db)}`;
  return rows.length > 0;
}

/** Gives an invitation that nobody answered its time again, and one to an address this secret; false for any other, and where a role of it is gone. */
export async function prolongInvite(
  db: Db,
  org: OrgId,
  {
    id,
    livesNs,
    byId,
    secretDigest,
  }: Pick<NewInviteRow, "id" | "livesNs"> & {
    readonly byId: string;
    readonly secretDigest: Buffer;
  },
): Promise<boolean> {
  const rows = await db<{ id: string }[]>`
    update org_invites i set expires_at = ${until(db, livesNs)}, resent_at = svc_now(), resent_by_id = ${byId},
           secret_digest = case when email <> '' then ${secretDigest}::bytea end
     where org_id = ${org} and id = ${id} and accepted_at is null and revoked_at is null and not ${lacksRole(db)}
    returning id`;
  return rows.length > 0;
}

/** Who answers for an invitation to an address that this secret accepts: who sent it last. Undefined for any other. */
export async function findSender(
  db: Db,
  id: string,
  secretDigest: Buffer,
): Promise<string | undefined> {
  const [row] = await db<{ sender: string }[]>`
    select coalesce(nullif(resent_by_id, ''), created_by_id) as sender
      from org_invites where id = ${id} and email <> '' and secret_digest = ${secretDigest}`;
  return row?.sender;
}

/** Revokes an invitation that nobody answered; false for any other. */
export async function revokeInviteRow(
  db: Db,
  org: OrgId,
  { id, byId }: { readonly id: string; readonly byId: string },
): Promise<boolean> {
  const rows = await db<{ id: string }[]>`
    update org_invites set revoked_at = svc_now(), revoked_by_id = ${byId}
     where org_id = ${org} and id = ${id} and accepted_at is null and revoked_at is null
    returning id`;
  return rows.length > 0;
}

/**
 * Makes the account a member with the roles it was invited to; false unless the invitation is open, the account's or of this secret, and all of
 * its roles are still there. By a secret nobody gets roles who is a member.
 */
export async function acceptInviteRow(
  db: Db,
  {
    id,
    accountId,
    secretDigest = null,
  }: { readonly id: string; readonly accountId: string; readonly secretDigest?: Buffer | null },
): Promise<boolean> {
  try {
    const rows = await db<{ id: string }[]>`
      with accepted as (
        update org_invites i set accepted_at = svc_now(), account_id = ${accountId}, secret_digest = null
         where id = ${id} and accepted_at is null and revoked_at is null and expires_at > svc_now() and not ${lacksRole(db)}
           and (account_id = ${accountId}
                or (email <> '' and secret_digest = ${secretDigest}::bytea
                    and not exists (select from account_roles r where r.org_id = i.org_id and r.account_id = ${accountId})))
        returning *),
      given as (
        insert into account_roles (account_id, org_id, role_id, created_by_id)
        select account_id, org_id, unnest(role_ids), created_by_id from accepted
        on conflict do nothing)
      select id from accepted`;
    return rows.length > 0;
  } catch (error) {
    if (error instanceof postgres.PostgresError && error.code === "23503") return false; // a role is deleted in this very instant
    throw error;
  }
}

/** Whether a role that an invitation `i` brings was deleted since it was made: no row refers to what an array names. */
const lacksRole = (db: Db) => db`
  exists (select from unnest(i.role_ids) w (id) where not exists (select from roles r where r.id = w.id))`;

const until = (db: Db, livesNs: number) =>
  db`svc_now() + make_interval(secs => ${livesNs / 1e9}::float8)`;
