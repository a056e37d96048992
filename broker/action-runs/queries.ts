import type { Db } from "../database/connect.ts";
import type { ActionRunStepRow } from "./row.ts";

/** What was said of a job's steps. */
export async function listRunSteps(db: Db, jobId: string): Promise<ActionRunStepRow[]> {
  return db<ActionRunStepRow[]>`select * from action_run_steps where runner_job_id = ${jobId}`;
}

/** Keeps the last word on a step. */
export async function writeRunStep(
  db: Db,
  step: Pick<
    ActionRunStepRow,
    "org_id" | "runner_job_id" | "step_id" | "status" | "execution_duration"
  >,
): Promise<void> {
  await db`
    insert into action_run_steps (runner_job_id, step_id, org_id, status, execution_duration)
    values (${step.runner_job_id}, ${step.step_id}, ${step.org_id}, ${step.status}, ${step.execution_duration})
        on conflict (runner_job_id, step_id) do update
           set status = excluded.status, execution_duration = excluded.execution_duration, updated_at = svc_now()`;
}
