import { problem } from "../../shared/problem.ts";
import { type ExecutionEnd, isExecutionEnd } from "../../shared/runner-job-execution.ts";
import type { RunnerJobStatus } from "../../shared/runner-job.ts";
import type { Broker } from "../broker.ts";
import { recordReport } from "../executions/record-report.ts";
import type { WithPermit } from "../limits/permits.ts";
import type { Actor } from "../tokens/actor.ts";
import { endJob } from "./end-job.ts";
import { requireJob } from "./read-job.ts";
import type { JobRow } from "./row.ts";

type Parts = Pick<Broker, "db" | "wakes" | "permits" | "report">;

type StatusChange = {
  readonly jobId: string;
  readonly status: RunnerJobStatus;
  readonly description: string | undefined;
};

/**
 * Moves a job as its own runner asks. Of a job in progress the current execution is reported on: an end ends
 * it, `queued` gives it back. What waits can be cancelled or skipped. The present status changes nothing; all
 * other moves are the broker's own and a 409 here.
 */
export async function setJobStatus(
  broker: Parts,
  actor: Actor,
  wanted: StatusChange,
): Promise<JobRow> {
  const { db } = broker;
  const withPermit: WithPermit = (act) =>
    broker.permits.run({ orgId: actor.orgId, token: actor.id }, act);
  const job = await withPermit(() => requireJob(db, actor.orgId, wanted.jobId, actor.runnerId));
  if (actor.executionId !== null && actor.executionId !== job.execution_id) {
    throw problem.notFound("job");
  }
  if (job.status === wanted.status) return job;
  if (job.finished_at !== null) {
    throw problem.conflict("job_final", `This job has already ended: it is ${job.status}.`);
  }
  if (job.execution_id === null) await withPermit(() => endWaiting(broker, actor, wanted));
  else await reportOn(broker, actor, { ...wanted, executionId: job.execution_id });
  return withPermit(() => requireJob(db, actor.orgId, wanted.jobId));
}

async function endWaiting(broker: Parts, actor: Actor, wanted: StatusChange): Promise<void> {
  const event = { cancelled: "cancel", "not-attempted": "skip" } as const;
  const { status } = wanted;
  if (status !== "cancelled" && status !== "not-attempted") throw refused(status);
  const why = wanted.description ?? "its runner said so";
  await endJob(broker, actor.orgId, { jobId: wanted.jobId, event: event[status], why });
}

async function reportOn(
  broker: Parts,
  actor: Actor,
  { jobId, executionId, status, description }: StatusChange & { executionId: string },
): Promise<void> {
  const named = { job_id: jobId, execution_id: executionId };
  if (status === "queued")
    await recordReport(broker, actor, named, { description, giveBack: true });
  else if (isEnd(status)) await recordReport(broker, actor, named, { status, description });
  else throw refused(status);
}

function isEnd(status: RunnerJobStatus): status is ExecutionEnd & RunnerJobStatus {
  return status !== "queued" && status !== "available" && isExecutionEnd(status);
}

function refused(status: RunnerJobStatus): Error {
  return problem.conflict(
    "move_not_allowed",
    `A runner cannot set this job to ${status} in its current status.`,
  );
}
