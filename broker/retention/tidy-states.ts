import type postgres from "postgres";
import type { Db } from "../database/connect.ts";
import { type Batches, deleteInBatches } from "./delete-in-batches.ts";

export type Kept = {
  /** The newest revisions of each workspace; 0 keeps all. */
  readonly revisions: number;
  /** How long a deleted workspace can be restored. */
  readonly deletedDays: number;
};

/**
 * Takes away parts of states that were never finished or are replaced, what was deleted long enough ago, and
 * revisions beyond the newest of each workspace, but never the current one; answers how many states.
 */
export async function tidyStates(db: Db, kept: Kept, batches: Batches): Promise<number> {
  await deleteInBatches(batches, (limit) => discardUploads(db, limit));
  const old = await deleteInBatches(batches, (limit) => deleteStates(db, kept, limit));
  await deleteInBatches(batches, (limit) => deleteRescued(db, kept, limit));
  await deleteInBatches(batches, (limit) => deleteWorkspaces(db, kept, limit));
  return old;
}

/** An hour after its last day, so that a workspace is not restored while it is being deleted. */
const isGone = (db: Db, { deletedDays }: Kept) =>
  db`w.deleted_at < svc_now() - make_interval(days => ${deletedDays}, hours => 1)`;

/** No request takes this long: the writer of these is gone. */
async function discardUploads(db: Db, limit: number): Promise<number> {
  const [row] = await db<{ n: number }[]>`
    with old as (
      select object_id from terraform_state_uploads where created_at < svc_now() - interval '1 hour' limit ${limit}
    ), gone as (
      delete from terraform_state_uploads u using old o where u.object_id = o.object_id
    ), parts as (
      delete from terraform_state_parts p using old o where p.object_id = o.object_id
    ), ahead as (
      delete from sent_pieces where created_at < svc_now() - interval '1 hour'
    )
    select count(*)::int as n from old`;
  return row?.n ?? 0;
}

async function deleteStates(db: Db, kept: Kept, limit: number): Promise<number> {
  const keep = kept.revisions;
  const old = db`
    select s.org_id, s.id from terraform_workspaces w
     cross join lateral (
       select x.org_id, x.id from terraform_workspace_states x
        where x.workspace_id = w.id
          and (${isGone(db, kept)}
               or (${keep} > 0 and x.revision <= w.revision - ${keep} and x.id is distinct from w.state_id))
        limit ${limit}) s
     where ${isGone(db, kept)} or ${keep} > 0
     limit ${limit}`;
  return deleteWithParts(db, "terraform_workspace_states", old);
}

/** What still waited when its workspace was deleted. */
async function deleteRescued(db: Db, kept: Kept, limit: number): Promise<number> {
  const old = db`
    select r.org_id, r.id from terraform_rescued_states r
      join terraform_workspaces w on w.org_id = r.org_id and w.id = r.workspace_id
     where ${isGone(db, kept)}
     limit ${limit}`;
  return deleteWithParts(db, "terraform_rescued_states", old);
}

async function deleteWithParts(db: Db, table: string, old: postgres.Fragment): Promise<number> {
  const [row] = await db<{ n: number }[]>`
    with old as (${old}), states as (
      delete from ${db(table)} s using old o where s.org_id = o.org_id and s.id = o.id
    ), parts as (
      delete from terraform_state_parts p using old o where p.object_id = o.id
    )
    select count(*)::int as n from old`;
  return row?.n ?? 0;
}

/** The rows that nothing refers to any more. */
async function deleteWorkspaces(db: Db, kept: Kept, limit: number): Promise<number> {
  const [row] = await db<{ n: number }[]>`
    with old as (
      select w.org_id, w.id from terraform_workspaces w
       where ${isGone(db, kept)}
         and not exists (select from terraform_workspace_states s where s.workspace_id = w.id)
         and not exists (select from terraform_rescued_states r where r.workspace_id = w.id)
       limit ${limit}
    ), jsons as (
      delete from terraform_workspace_state_jsons j using old o where j.workspace_id = o.id returning j.id
    ), parts as (
      delete from terraform_state_parts p using jsons j where p.object_id = j.id
    ), events as (
      delete from terraform_workspace_events e using old o where e.workspace_id = o.id
    ), gone as (
      delete from terraform_workspaces w using old o where w.org_id = o.org_id and w.id = o.id
    )
    select count(*)::int as n from old`;
  return row?.n ?? 0;
}
