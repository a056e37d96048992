import type { QueueChanges } from "../../shared/api/queues.ts";
import { problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { topics } from "../wake/wakes.ts";
import { nameTaken } from "./create-queue.ts";
import { writeQueue } from "./queries.ts";
import { requireOwnQueue } from "./require-queue.ts";

/** Changes a queue, and begins what its new bounds allow; 412 when it has another version than the one given. */
export async function updateQueue(
  { db, wakes }: Pick<Broker, "db" | "wakes">,
  org: OrgId,
  to: { readonly id: string; readonly version: number | undefined; readonly changes: QueueChanges },
): Promise<void> {
  requireOwnQueue(to.id);
  const change = await writeQueue(db, org, to);
  if (change.outcome === "not-found") throw problem.notFound("queue");
  if (change.outcome === "taken") throw nameTaken();
  if (change.outcome === "managed") {
    throw problem.conflict(
      "managed_queue",
      "This queue is a lane of an install: its name stays, and the lane `changes` has one workflow at a time.",
    );
  }
  if (change.outcome === "stale") {
    throw problem.preconditionFailed(
      "The queue was changed in the meantime. Read it and try again.",
    );
  }
  wakes.notify(change.wakes.map(topics.signals));
}
