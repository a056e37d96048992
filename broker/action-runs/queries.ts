import type { RunnerJobStatus } from "../../shared/runner-job.ts";
import type { Db } from "../database/connect.ts";
import type { Actor } from "../tokens/actor.ts";
import type { ActionRunStepRow } from "./row.ts";

/** A job that a runner works on or just did, with the text of its plan. */
export type PlannedJob = {
  readonly id: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly status: RunnerJobStatus;
  readonly status_description: string;
  readonly status_at: Date;
  readonly plan: string;
};

/**
 * The jobs whose plans a runner may look into, the newest first: those that run or are being stopped, and
 * those of its last 200 that ended within ten minutes. Only plans in which the text occurs; a token of one
 * execution sees its own job only.
 */
export async function listPlannedJobs(
  db: Db,
  actor: Pick<Actor, "orgId" | "runnerId" | "executionId">,
  text: string,
): Promise<PlannedJob[]> {
  const { orgId, runnerId, executionId } = actor;
  return db<PlannedJob[]>`
    with latest as (
      select j.id from runner_jobs j where j.runner_id = ${runnerId} order by j.id desc limit 200
    ), mine as (
      select l.id, l.status_at from runner_job_live l where l.runner_id = ${runnerId} and l.status = 'in-progress'
      union select s.runner_job_id, s.started_at from stopping_executions s where s.runner_id = ${runnerId}
      union select d.runner_job_id, d.finished_at from latest join runner_job_ends d on d.runner_job_id = latest.id
             where d.finished_at > svc_now() - interval '10 minutes'
    )
    select distinct on (j.id) j.id, j.metadata, coalesce(d.status, 'in-progress') as status,
           coalesce(d.status_description, '') as status_description, m.status_at,
           convert_from(p.contents, 'UTF8') as plan
      from mine m
      join runner_jobs j on j.org_id = ${orgId} and j.id = m.id
      join runner_job_plans p on p.runner_job_id = j.id and p.key_id is null
      left join runner_job_ends d on d.runner_job_id = j.id
     where position(convert_to(${text}, 'UTF8') in p.contents) > 0
       and (${executionId}::text is null
            or exists (select from runner_job_executions e
                        where e.org_id = ${orgId} and e.id = ${executionId} and e.runner_job_id = j.id))
     order by j.id desc`;
}

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
