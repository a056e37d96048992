import { actionRuns, type ShownActionRun } from "../../shared/api/actions.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { rowsOf } from "../resources/rows-of.ts";
import { compositeErrorOf } from "../status/composite-error.ts";
import { toCompositeStatus } from "../status/composite-status.ts";
import type { RunRow } from "./action-queries.ts";

/** Runs of actions in installs, each with where its job stands. */
export const actionRunRows = rowsOf<typeof actionRuns, RunRow>(actionRuns, {
  from: ["install_action_runs r left join runner_job_live l on l.id = r.runner_job_id", "r"],
  indexedBy: "parent",
  besides: {},
  whole: { columns: "r.*, l.status as job_status, svc_now() as now", toItem: toRun },
});

/** The newest hundred that a workflow began. */
export async function listRunsOfWorkflow(
  db: Db,
  org: OrgId,
  workflowId: string,
): Promise<ShownActionRun[]> {
  const rows = await db<RunRow[]>`
    ${db.unsafe(actionRunRows.select)} where r.org_id = ${org} and r.workflow_id = ${workflowId}
     order by r.id desc limit 100`;
  return rows.map(toRun);
}

/** A run as lists show it. It is in progress from its job's claim, which writes nothing here. */
function toRun(row: RunRow): ShownActionRun {
  const isClaimed = row.status === "queued" && row.job_status === "in-progress";
  const status = isClaimed ? "in-progress" : row.status;
  const at = row.finished_at ?? row.started_at ?? row.created_at;
  return {
    id: row.id,
    org_id: row.org_id,
    install_id: row.install_id,
    action_workflow_id: row.action_id,
    action_workflow_config_id: row.action_config_id,
    name: row.name,
    workflow_id: row.workflow_id,
    install_workflow_id: row.workflow_id,
    workflow_step_id: row.workflow_step_id,
    runner_job_id: row.runner_job_id,
    trigger_type: row.trigger_type,
    triggered_by_id: row.triggered_by_id,
    status,
    status_description: row.status_description,
    status_v2: toCompositeStatus({ status, description: row.status_description, at }),
    role: row.role,
    timeout: row.timeout,
    execution_time: executionTime(row),
    ...compositeErrorOf(row.composite_error, { type: "install_action_workflow_runs", id: row.id }),
    created_by_id: row.created_by_id,
    created_at: row.created_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    finished_at: row.finished_at?.toISOString() ?? null,
  };
}

function executionTime({ started_at: from, finished_at: until, now }: RunRow): number {
  if (from === null) return 0;
  return Math.max(0, ((until ?? now).getTime() - from.getTime()) * 1e6);
}
