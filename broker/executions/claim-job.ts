import { problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import type { Db } from "../database/connect.ts";
import { newId } from "../database/new-id.ts";
import { requireClaimByName } from "../jobs/guard-plans.ts";
import { findJob } from "../jobs/queries.ts";
import { touchProcess } from "../processes/beat-processes.ts";
import type { Actor } from "../tokens/actor.ts";
import { topics } from "../wake/wakes.ts";
import { findExecution } from "./queries.ts";
import type { ExecutionRow } from "./row.ts";

/**
 * Claims an available job by its id. The execution belongs to the only live process that serves the job's group or, when
 * several do, to all of them. 409 when the job is not available any more.
 */
export async function claimJob(
  broker: Pick<Broker, "db" | "wakes" | "beats">,
  actor: Actor,
  jobId: string,
): Promise<ExecutionRow> {
  const { db, wakes } = broker;
  const [job] = await Promise.all([findJob(db, actor.orgId, jobId), requireClaimByName(db, actor)]);
  const isReached = actor.runnerId === null || actor.runnerId === job?.runner_id;
  if (job === undefined || !isReached) throw problem.notFound("job");
  const executionId = newId("exe");
  const claimed = await db`
    select execution_id from claim_job(${actor.orgId}, ${job.runner_id}, ${jobId}, ${executionId}, array(
      select p.id::text from runner_processes p
       where p.runner_id = ${job.runner_id} and p.status in ('pending', 'active') and p.draining is null
         and p.going_away_at is null and serves_group(p.serves, p.runner_id, ${job.job_group}) order by p.id))`;
  if (claimed.length === 0) {
    throw problem.conflict(
      "job_not_available",
      `This job is ${await statusNow(db, actor, jobId)}.`,
    );
  }
  wakes.notify([topics.org(actor.orgId)]);
  const execution = await findExecution(db, actor.orgId, executionId);
  if (execution === undefined)
    throw new Error(`execution ${executionId} was made and is not there`);
  const { runner_id: runnerId, process_id: processId } = execution;
  if (processId !== null) void touchProcess(broker, { orgId: actor.orgId, runnerId, processId });
  return execution;
}

async function statusNow(db: Db, { orgId }: Actor, jobId: string): Promise<string> {
  const job = await findJob(db, orgId, jobId);
  if (job?.status !== "available") return job?.status ?? "gone";
  return "not available now: it is offered to another poll, or no slot is free";
}
