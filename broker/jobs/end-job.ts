import { problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { topics } from "../wake/wakes.ts";
import { processesToStop } from "./processes-to-stop.ts";

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
    ...(await processesToStop(db, answer.execution_id === null ? [] : [answer.execution_id])),
  ]);
}
