import type { ActionRunStatus } from "../../shared/action-run-statuses.ts";
import type { ActionStepStatus } from "../../shared/api/action-runs.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { CompositeFault } from "../workflows/machine/workflow-rows.ts";

export type RunRow = {
  readonly id: string;
  readonly org_id: string;
  readonly install_id: string;
  readonly action_id: string | null;
  readonly action_config_id: string | null;
  readonly name: string;
  readonly workflow_id: string;
  readonly workflow_step_id: string | null;
  readonly runner_job_id: string | null;
  readonly trigger_type: string;
  readonly triggered_by_id: string;
  readonly status: ActionRunStatus;
  readonly status_description: string;
  readonly role: string;
  readonly timeout: number;
  readonly composite_error: CompositeFault | null;
  readonly created_by_id: string;
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly finished_at: Date | null;
  /** Of its job, while that is live. */
  readonly job_status: string | null;
  readonly now: Date;
};

/** The job of the newest run of an action that finished. */
export async function findFinishedJob(
  db: Db,
  org: OrgId,
  { installId, id }: { readonly installId: string; readonly id: string },
): Promise<string | undefined> {
  const [row] = await db<{ runner_job_id: string | null }[]>`
    select r.runner_job_id from install_action_runs r
     where r.org_id = ${org} and r.install_id = ${installId} and r.action_id = ${id} and r.status = 'finished'
     order by r.id desc limit 1`;
  return row?.runner_job_id ?? undefined;
}

/** As many as lists of actions have at once. */
const mostActions = 1000;

/** The newest run of each action in an install, or of one, by name; ad hoc runs are of no action. */
export async function listLatestRuns(
  db: Db,
  org: OrgId,
  { installId, actionId }: { readonly installId: string; readonly actionId?: string },
): Promise<RunRow[]> {
  return db<RunRow[]>`
    select r.*, l.status as job_status, svc_now() as now
      from actions x
     cross join lateral (select * from install_action_runs n
                          where n.org_id = x.org_id and n.install_id = ${installId} and n.action_id = x.id
                          order by n.id desc limit 1) r
      left join runner_job_live l on l.id = r.runner_job_id
     where x.org_id = ${org} and x.app_id = (select i.app_id from installs i where i.org_id = ${org} and i.id = ${installId})
       ${actionId === undefined ? db`` : db`and x.id = ${actionId}`}
     order by r.name limit ${mostActions}`;
}

export type RunEnd = {
  readonly execution_id: string | null;
  readonly log_stream_id: string | null;
  readonly steps: readonly {
    readonly step_id: string;
    readonly name: string;
    readonly idx: number;
    readonly status: ActionStepStatus;
    readonly execution_duration: number;
  }[];
};

/** What came of a run's job: its log, the execution that has its outputs, and what was said of its steps. */
export async function findRunEnd(db: Db, org: OrgId, jobId: string): Promise<RunEnd | undefined> {
  const [row] = await db<RunEnd[]>`
    select d.final_execution_id as execution_id, j.log_stream_id,
           (select coalesce(json_agg(json_build_object('step_id', s.step_id, 'name', s.name, 'idx', s.idx, 'status', s.status,
                                                       'execution_duration', s.execution_duration) order by s.idx), '[]')
              from action_run_steps s where s.runner_job_id = j.id) as steps
      from runner_jobs j
      left join runner_job_ends d on d.runner_job_id = j.id
     where j.org_id = ${org} and j.id = ${jobId}`;
  return row;
}
