import { problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { type Topic, topics } from "../wake/wakes.ts";

type OutcomeRow = {
  job_id: string | null;
  outcome: "ended" | "already" | "final" | "not-found" | "wake";
  status: string | null;
  runner_id: string | null;
  execution_id: string | null;
};

export type JobEnding = {
  readonly jobId: string;
  readonly event: "cancel" | "skip";
  readonly why: string;
};

/**
 * Cancels a job (or skips it). A running execution is told to stop and keeps its slot until it has. The same end again
 * changes nothing; 409 when the job ended otherwise, 404 when there is none.
 */
export async function endJob(
  { db, wakes }: Pick<Broker, "db" | "wakes">,
  org: OrgId,
  { jobId, event, why }: JobEnding,
): Promise<void> {
  const rows = await db<OutcomeRow[]>`
    select * from end_jobs(${org}, ${[jobId]}, ${event}, ${why})`;
  const answer = rows.find(({ outcome }) => outcome !== "wake");
  if (answer === undefined || answer.outcome === "not-found") throw problem.notFound("job");
  if (answer.outcome === "final") {
    throw problem.conflict(
      "job_final",
      `This job has already ended: it is ${answer.status ?? "final"}.`,
    );
  }
  if (answer.outcome === "already") return;
  const released = rows.filter(({ outcome }) => outcome === "wake");
  wakes.notify([
    topics.org(org),
    ...released.flatMap(({ runner_id: id }) => (id === null ? [] : [topics.queue(id)])),
    ...(answer.execution_id === null ? [] : await ordersTo(db, answer.execution_id)),
  ]);
}

/** The process that must stop an execution; when the wake-up is lost, the next heartbeat delivers the order. */
async function ordersTo(db: Db, executionId: string): Promise<Topic[]> {
  const rows = await db<{ process_id: string | null }[]>`
    select s.process_id from stopping_executions s where s.execution_id = ${executionId}`;
  return rows.flatMap(({ process_id: id }) => (id === null ? [] : [topics.process(id)]));
}
