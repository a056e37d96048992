import type { RunnerJobStatus } from "../../shared/runner-job.ts";
import type { Db } from "../database/connect.ts";
import { openPlan } from "../jobs/sealed-plan.ts";
import type { Seals } from "../seals/seals.ts";
import type { Actor } from "../tokens/actor.ts";

/** A job that a runner works on or just did, with the text of its plan. */
export type PlannedJob = {
  readonly id: string;
  readonly runner_id: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly status: RunnerJobStatus;
  readonly status_description: string;
  readonly status_at: Date;
  readonly plan: string;
};

type PlanRow = { runner_job_id: string; key_id: string | null; contents: Buffer };
type Parts = { readonly db: Db; readonly seals: Seals };
type Runner = Pick<Actor, "orgId" | "runnerId" | "executionId">;

const plansAtOnce = 10;

/**
 * The jobs whose plans a runner may look into, the newest first: those that run or are being stopped, and
 * those of its last 200 that ended within ten minutes. A token of one execution sees its own job only. Plans
 * are sealed, so each is opened to be looked into; stop at the one that was looked for.
 */
export async function* plannedJobs(
  { db, seals }: Parts,
  actor: Runner,
  jobId?: string,
): AsyncGenerator<PlannedJob> {
  const jobs = await listJobs(db, actor, jobId);
  for (let at = 0; at < jobs.length; at += plansAtOnce) {
    const some = jobs.slice(at, at + plansAtOnce);
    const ids = some.map(({ id }) => id);
    const plans = await db<PlanRow[]>`
      select p.runner_job_id, p.key_id, p.contents from runner_job_plans p
       where p.runner_job_id = any(${ids}) and p.org_id = ${actor.orgId}`;
    for (const job of some) {
      const row = plans.find((plan) => plan.runner_job_id === job.id);
      if (row === undefined) continue;
      yield { ...job, plan: openPlan(seals, { orgId: actor.orgId, id: job.id }, row) };
    }
  }
}

function listJobs(
  db: Db,
  { orgId, runnerId, executionId }: Runner,
  jobId: string | undefined,
): Promise<Omit<PlannedJob, "plan">[]> {
  return db<Omit<PlannedJob, "plan">[]>`
    with latest as (
      select j.id from runner_jobs j where j.runner_id = ${runnerId} order by j.id desc limit 200
    ), mine as (
      select l.id, l.status_at from runner_job_live l where l.runner_id = ${runnerId} and l.status = 'in-progress'
      union select s.runner_job_id, s.started_at from stopping_executions s where s.runner_id = ${runnerId}
      union select d.runner_job_id, d.finished_at from latest join runner_job_ends d on d.runner_job_id = latest.id
             where d.finished_at > svc_now() - interval '10 minutes'
    )
    select distinct on (j.id) j.id, j.runner_id, j.metadata, coalesce(d.status, 'in-progress') as status,
           coalesce(d.status_description, '') as status_description, m.status_at
      from mine m
      join runner_jobs j on j.org_id = ${orgId} and j.id = m.id
      left join runner_job_ends d on d.runner_job_id = j.id
     where (${jobId ?? null}::text is null or j.id = ${jobId ?? null})
       and (${executionId}::text is null
            or exists (select from runner_job_executions e
                        where e.org_id = ${orgId} and e.id = ${executionId} and e.runner_job_id = j.id))
     order by j.id desc`;
}
