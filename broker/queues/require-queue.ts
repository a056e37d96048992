import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { findQueue } from "./queries.ts";
import type { QueueRow } from "./queue-row.ts";

/** The queue; 404 when there is none, 409 when it is that of a runner's job group. */
export async function requireQueue(db: Db, org: OrgId, id: string): Promise<QueueRow> {
  requireOwnQueue(id);
  const row = await findQueue(db, org, id);
  if (row === undefined) throw problem.notFound("queue");
  return row;
}

/** Refuses with 409 the id of the queue of a runner's job group, which is changed elsewhere. */
export function requireOwnQueue(id: string): void {
  if (!id.startsWith("run_")) return;
  const runner = id.slice(0, id.indexOf(":"));
  throw problem.conflict(
    "runner_queue",
    `This is the queue of a runner's jobs, not of signals. Its jobs: /v1/runners/${runner}/jobs; pause and resume: /v1/runners/${runner}/pause and …/resume; its depth and parallelism: /v1/runners/${runner}/settings.`,
  );
}
