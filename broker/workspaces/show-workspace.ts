import type { RescuedState } from "../../shared/api/rescued-states.ts";
import { terraformLockSchema } from "../../shared/api/terraform-lock.ts";
import type { Workspace, WorkspaceState } from "../../shared/api/terraform-workspaces.ts";
import type { WorkspaceEvent } from "../../shared/api/workspace-events.ts";
import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { findState, findWorkspace, listLocks, listStatesById } from "./queries.ts";
import type {
  RescuedStateRow,
  WorkspaceEventRow,
  WorkspaceLockRow,
  WorkspaceRow,
  WorkspaceStateRow,
} from "./row.ts";

/** A workspace with its lock, its block and its current state; 404 when there is none. */
export async function showWorkspace(db: Db, org: OrgId, id: string): Promise<Workspace> {
  const row = await requireWorkspace(db, org, id);
  return (await prepareToShow(db, org, [row]))(row);
}

/** The workspace; 404 when there is none. */
export async function requireWorkspace(db: Db, org: OrgId, id: string): Promise<WorkspaceRow> {
  const row = await findWorkspace(db, org, id);
  if (row === undefined) throw problem.notFound("workspace");
  return row;
}

/** A revision by the state's id, its number or the word current; 404 when there is none. */
export async function requireState(
  db: Db,
  org: OrgId,
  { workspaceId, named }: { readonly workspaceId: string; readonly named: string },
): Promise<{ readonly workspace: WorkspaceRow; readonly state: WorkspaceStateRow }> {
  const workspace = await requireWorkspace(db, org, workspaceId);
  const wanted = named === "current" ? workspace.state_id : named;
  const isNumber = /^\d+$/.test(wanted ?? "");
  const state =
    wanted === null
      ? undefined
      : await findState(db, org, { workspaceId, named: isNumber ? Number(wanted) : wanted });
  if (state === undefined) throw problem.notFound("state");
  return { workspace, state };
}

/** Reads what belongs to these workspaces; returns a function that shows each of them. */
export async function prepareToShow(
  db: Db,
  org: OrgId,
  rows: readonly WorkspaceRow[],
): Promise<(row: WorkspaceRow) => Workspace> {
  const ids = rows.map(({ id }) => id);
  const stateIds = rows.flatMap(({ state_id: id }) => id ?? []);
  const [locks, states] = await Promise.all([
    listLocks(db, org, ids),
    listStatesById(db, org, stateIds),
  ]);
  const lockOf = new Map(locks.map((lock) => [lock.workspace_id, lock]));
  const stateOf = new Map(states.map((state) => [state.id, state]));
  return (row) => {
    const [lock, state] = [lockOf.get(row.id), stateOf.get(row.state_id ?? "")];
    return {
      id: row.id,
      org_id: row.org_id,
      owner_id: row.owner_id,
      owner_type: row.owner_type,
      revision: row.revision,
      lock: lock === undefined ? null : toLock(lock),
      state: state === undefined ? null : toState(row, state),
      block: blockOf(row),
      deleted_at: row.deleted_at?.toISOString() ?? null,
      created_at: row.created_at.toISOString(),
      updated_at: row.updated_at.toISOString(),
      created_by_id: row.created_by_id,
    };
  };
}

function blockOf(row: WorkspaceRow): Workspace["block"] {
  if (row.blocked_at === null) return null;
  return {
    reason: row.blocked_reason ?? "",
    kind: row.blocked_kind ?? "by_hand",
    runner_job_id: row.blocked_job_id,
    blocked_by_id: row.blocked_by_id ?? "",
    blocked_at: row.blocked_at.toISOString(),
  };
}

/** A lock as the API shows it. */
export function toLock(row: WorkspaceLockRow): NonNullable<Workspace["lock"]> {
  const lock = terraformLockSchema.parse({ ...row.info, ID: row.lock_id });
  return {
    id: row.id,
    org_id: row.org_id,
    workspace_id: row.workspace_id,
    runner_job_id: row.runner_job_id,
    runner_job_status: row.job_status,
    lock: {
      id: lock.ID,
      created: lock.Created,
      info: lock.Info,
      operation: lock.Operation,
      path: lock.Path,
      version: lock.Version,
      who: lock.Who,
    },
    created_at: row.created_at.toISOString(),
    created_by_id: row.created_by_id,
  };
}

/** A revision as the API shows it, without its contents. */
export function toState(workspace: WorkspaceRow, row: WorkspaceStateRow): WorkspaceState {
  return {
    id: row.id,
    org_id: row.org_id,
    terraform_workspace_id: row.workspace_id,
    revision: row.revision,
    is_current: workspace.state_id === row.id,
    serial: row.serial,
    lineage: row.lineage,
    terraform_version: row.terraform_version,
    size_bytes: row.size_bytes,
    rolled_back_from: row.rolled_back_from,
    runner_job_id: row.runner_job_id,
    created_at: row.created_at.toISOString(),
    created_by_id: row.created_by_id,
  };
}

/** A state that could not be written, as the API shows it. */
export function toRescued(row: RescuedStateRow): RescuedState {
  return {
    id: row.id,
    org_id: row.org_id,
    terraform_workspace_id: row.workspace_id,
    serial: row.serial,
    lineage: row.lineage,
    terraform_version: row.terraform_version,
    size_bytes: row.size_bytes,
    runner_job_id: row.runner_job_id,
    created_at: row.created_at.toISOString(),
    created_by_id: row.created_by_id,
  };
}

/** An event of a workspace as the API shows it. */
export function toWorkspaceEvent(row: WorkspaceEventRow): WorkspaceEvent {
  const { kind, actor_id, reason, info, at } = row;
  return { kind, actor_id, reason, info, at: at.toISOString() };
}
