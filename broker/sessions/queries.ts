import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { SessionRow } from "./row.ts";

/** How many sessions and links one token has at most; a new one ends the oldest. */
const mostOfToken = 50;

export type NewSession = Pick<
  SessionRow,
  "id" | "purpose" | "user_agent" | "address" | "shown_org_id"
> & {
  readonly digest: Buffer;
  readonly user_agent_digest: Buffer | null;
  readonly minutes: number;
};

/** A session, and the account that its token speaks for. */
export type InsertedSession = SessionRow & {
  readonly shown_org_id: OrgId;
  readonly account_id: string | null;
};

/** Inserts a session or a link of a token that is valid; undefined when it is not. */
export async function insertSession(
  db: Db,
  tokenId: string,
  session: NewSession,
): Promise<InsertedSession | undefined> {
  const [row] = await db<InsertedSession[]>`
    with ended as (
      delete from dashboard_sessions
       where id in (select id from (select id, expires_at, row_number() over (order by created_at desc, id desc) as nth
                                      from dashboard_sessions where token_id = ${tokenId}) s
                     where nth >= ${mostOfToken} or expires_at <= svc_now()))
    insert into dashboard_sessions (id, org_id, token_id, purpose, digest, shown_org_id, user_agent_digest, user_agent,
                                    address, expires_at)
    select ${session.id}, org_id, id, ${session.purpose}, ${session.digest}, ${session.shown_org_id},
           ${session.user_agent_digest}, ${session.user_agent}, ${session.address},
           least(expires_at, svc_now() + make_interval(mins => ${session.minutes}))
      from tokens
     where id = ${tokenId} and revoked_at is null and (expires_at is null or expires_at > svc_now())
    returning *, (select t.account_id from tokens t where t.id = token_id and t.reach = 'account') as account_id`;
  return row;
}

/** Whom a link would sign in, and where; undefined when it is no more. */
export async function findLink(
  db: Db,
  digest: Buffer,
): Promise<{ readonly token_name: string; readonly org_name: string } | undefined> {
  const [row] = await db<{ token_name: string; org_name: string }[]>`
    select coalesce(nullif(t.name, ''), t.hint) as token_name, o.name as org_name
      from dashboard_sessions s
      join tokens t on t.org_id = s.org_id and t.id = s.token_id
      join orgs o on o.id = s.shown_org_id
     where s.digest = ${digest} and s.purpose = 'link' and s.expires_at > svc_now()`;
  return row;
}

/** Takes a link away, which can be done once; undefined when there is none that is valid. */
export async function takeLink(
  db: Db,
  digest: Buffer,
): Promise<Pick<SessionRow, "token_id" | "shown_org_id"> | undefined> {
  const [row] = await db<(SessionRow & { is_valid: boolean })[]>`
    delete from dashboard_sessions where digest = ${digest} and purpose = 'link'
    returning *, expires_at > svc_now() as is_valid`;
  return row?.is_valid === true ? row : undefined;
}

/** Ends a session; one that is over already stays so. */
export async function deleteSession(db: Db, id: string): Promise<void> {
  await db`delete from dashboard_sessions where id = ${id}`;
}

/** Lets a session show another org, if there is such an org and the token's account has a role in it, or it is the token's. */
export async function updateShownOrg(db: Db, id: string, orgId: string): Promise<boolean> {
  const updated = await db`
    update dashboard_sessions s set shown_org_id = o.id
      from orgs o, tokens t
     where s.id = ${id} and o.id = ${orgId} and t.org_id = s.org_id and t.id = s.token_id
       and (o.id = t.org_id
            or t.reach = 'account' and exists (select from account_roles ar
                                                where ar.account_id = t.account_id and ar.org_id = o.id))`;
  return updated.count > 0;
}
