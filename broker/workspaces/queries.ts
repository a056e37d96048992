import type { Db } from "../database/connect.ts";
import type { ListRequest } from "../database/page-request.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Bound } from "../tokens/bound/bound.ts";
import { boundTo } from "../tokens/bound/within.ts";
import type {
  StoredParts,
  WorkspaceEventRow,
  WorkspaceLockRow,
  WorkspaceRow,
  WorkspaceStateRow,
} from "./row.ts";

export type WorkspaceFilters = {
  readonly owner_id?: string | undefined;
  readonly locked?: "true" | "false" | undefined;
  readonly blocked?: "true" | "false" | undefined;
  readonly deleted?: "true" | "false" | undefined;
};
type Sorted = { readonly sort_key: string };

/** What a function of migrations/ returns: an outcome, and what was in the way. */
export type Outcome = {
  readonly outcome: string;
  readonly holder: Readonly<Record<string, unknown>> | null;
  readonly revision: number | null;
};

/** Writes a workspace without a state. */
export async function insertWorkspace(
  db: Db,
  org: OrgId,
  workspace: Pick<WorkspaceRow, "id" | "owner_id" | "owner_type" | "created_by_id">,
): Promise<void> {
  await db`
    insert into terraform_workspaces (id, org_id, owner_id, owner_type, created_by_id)
    values (${workspace.id}, ${org}, ${workspace.owner_id}, ${workspace.owner_type}, ${workspace.created_by_id})
        on conflict (org_id, id) do nothing`; // the same request made it before, and nobody heard
}

/** A workspace that is not deleted. */
export async function findWorkspace(
  db: Db,
  org: OrgId,
  id: string,
): Promise<WorkspaceRow | undefined> {
  const [row] = await db<WorkspaceRow[]>`
    select w.* from terraform_workspaces w
     where w.org_id = ${org} and w.id = ${id} and w.deleted_at is null`;
  return row;
}

/** Workspaces that pass the filters, the newest first. */
export async function listWorkspaces(
  db: Db,
  org: OrgId,
  {
    filters,
    bound,
    after,
    limit,
    offset,
  }: ListRequest & { readonly filters: WorkspaceFilters; readonly bound?: Bound | null },
): Promise<(WorkspaceRow & Sorted)[]> {
  const { owner_id: ownerId, locked, blocked, deleted } = filters;
  return db<(WorkspaceRow & Sorted)[]>`
    select w.*, w.created_at::text as sort_key from terraform_workspaces w
     where w.org_id = ${org} and (w.deleted_at is not null) = ${deleted === "true"} ${boundTo(db, "terraform_workspaces", bound)}
       ${after === undefined ? db`` : db`and w.id < ${after.id}`}
       ${ownerId === undefined ? db`` : db`and w.owner_id = ${ownerId}`}
       ${blocked === undefined ? db`` : db`and (w.blocked_at is not null) = ${blocked === "true"}`}
       ${locked === undefined ? db`` : db`and exists (select from terraform_workspace_locks l where l.workspace_id = w.id) = ${locked === "true"}`}
     order by w.id desc limit ${limit} offset ${offset}`;
}

/** The locks of these workspaces. */
export async function listLocks(
  db: Db,
  org: OrgId,
  workspaceIds: readonly string[],
): Promise<WorkspaceLockRow[]> {
  return db<WorkspaceLockRow[]>`
    select l.*, coalesce(j.status, d.status) as job_status
      from terraform_workspace_locks l
      left join runner_job_live j on j.id = l.runner_job_id
      left join runner_job_ends d on d.runner_job_id = l.runner_job_id and d.org_id = l.org_id
     where l.org_id = ${org} and l.workspace_id = any(${workspaceIds})`;
}

/** The states of these ids. */
export async function listStatesById(
  db: Db,
  org: OrgId,
  ids: readonly string[],
): Promise<WorkspaceStateRow[]> {
  return db<WorkspaceStateRow[]>`
    select s.* from terraform_workspace_states s where s.org_id = ${org} and s.id = any(${ids})`;
}

/** One revision, by its number or the state's id. */
export async function findState(
  db: Db,
  org: OrgId,
  { workspaceId, named }: { readonly workspaceId: string; readonly named: string | number },
): Promise<WorkspaceStateRow | undefined> {
  const [row] = await db<WorkspaceStateRow[]>`
    select s.* from terraform_workspace_states s
     where s.org_id = ${org} and s.workspace_id = ${workspaceId}
       and ${typeof named === "number" ? db`s.revision = ${named}` : db`s.id = ${named}`}`;
  return row;
}

/** The number of the newest kept revision before this one; undefined when it is the oldest. */
export async function findRevisionBefore(
  db: Db,
  org: OrgId,
  { workspace_id: workspaceId, revision }: Pick<WorkspaceStateRow, "workspace_id" | "revision">,
): Promise<number | undefined> {
  const [row] = await db<{ revision: number }[]>`
    select s.revision from terraform_workspace_states s
     where s.org_id = ${org} and s.workspace_id = ${workspaceId} and s.revision < ${revision}
     order by s.revision desc limit 1`;
  return row?.revision;
}

/** Revisions, the newest first. */
export async function listStates(
  db: Db,
  org: OrgId,
  { workspaceId, after, limit, offset }: ListRequest & { readonly workspaceId: string },
): Promise<(WorkspaceStateRow & Sorted)[]> {
  return db<(WorkspaceStateRow & Sorted)[]>`
    select s.*, s.created_at::text as sort_key from terraform_workspace_states s
     where s.org_id = ${org} and s.workspace_id = ${workspaceId}
       ${after === undefined ? db`` : db`and s.revision < (select revision from terraform_workspace_states where id = ${after.id} and org_id = ${org})`}
     order by s.revision desc limit ${limit} offset ${offset}`;
}

/** The latest events, newest first. */
export async function listEvents(
  db: Db,
  org: OrgId,
  workspaceId: string,
): Promise<WorkspaceEventRow[]> {
  return db<WorkspaceEventRow[]>`
    select e.* from terraform_workspace_events e
     where e.org_id = ${org} and e.workspace_id = ${workspaceId} order by e.id desc limit 100`;
}

export type StateJsonRow = StoredParts & {
  readonly workspace_id: string;
  readonly runner_job_id: string | null;
  readonly created_at: Date;
  readonly created_by_id: string;
};

/** The latest output of `terraform show -json`. */
export async function findStateJson(
  db: Db,
  org: OrgId,
  workspaceId: string,
): Promise<StateJsonRow | undefined> {
  const [row] = await db<StateJsonRow[]>`
    select j.id, j.org_id, j.size_bytes, j.parts, j.key_id, j.sealed_key, j.workspace_id, j.runner_job_id, j.created_at, j.created_by_id
      from terraform_workspace_state_jsons j
     where j.org_id = ${org} and j.workspace_id = ${workspaceId}`;
  return row;
}

/** A sealed part; undefined when it is gone. */
export async function findPart(
  db: Db,
  org: OrgId,
  { objectId, n }: { readonly objectId: string; readonly n: number },
): Promise<Buffer | undefined> {
  const [row] = await db<{ body: Buffer }[]>`
    select p.body from terraform_state_parts p
     where p.object_id = ${objectId} and p.n = ${n} and p.org_id = ${org}`;
  return row?.body;
}

/** Writes a part of an unfinished upload; it is deleted if the upload is never finished. */
export async function insertPart(
  db: Db,
  org: OrgId,
  { objectId, n, body }: { readonly objectId: string; readonly n: number; readonly body: Buffer },
): Promise<void> {
  await db`
    with upload as (
      insert into terraform_state_uploads (object_id, org_id) values (${objectId}, ${org})
          on conflict do nothing)
    insert into terraform_state_parts (object_id, n, org_id, body)
    values (${objectId}, ${n}, ${org}, ${body})`;
}

/** Deletes the parts of an unfinished upload; a finished one is left alone. */
export async function discardUpload(db: Db, org: OrgId, objectId: string): Promise<void> {
  await db`
    with gone as (
      delete from terraform_state_uploads where org_id = ${org} and object_id = ${objectId} returning object_id)
    delete from terraform_state_parts p using gone g where p.object_id = g.object_id`;
}

/** Whether the group of a job's runner is in sandbox mode. */
export async function isGroupInSandbox(db: Db, org: OrgId, runnerId: string): Promise<boolean> {
  const [row] = await db<{ sandbox_mode: boolean }[]>`
    select s.sandbox_mode from runners u
      join runner_group_settings s on s.org_id = u.org_id and s.runner_group_id = u.runner_group_id
     where u.org_id = ${org} and u.id = ${runnerId}`;
  return row?.sandbox_mode === true;
}
