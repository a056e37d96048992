import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { deleteQueueRow } from "./queries.ts";
import { requireOwnQueue } from "./require-queue.ts";

/** Deletes a queue without live signals; 409 for one that has some, and for a lane of an install. Its ended signals stay until they are old. */
export async function deleteQueue(db: Db, org: OrgId, id: string): Promise<void> {
  requireOwnQueue(id);
  const outcome = await deleteQueueRow(db, org, id);
  if (outcome === "not-found") throw problem.notFound("queue");
  if (outcome === "managed") {
    throw problem.conflict(
      "managed_queue",
      "This queue is a lane of an install, and goes with it. Pause or purge it instead.",
    );
  }
  if (outcome === "has-emitters") {
    throw problem.conflict(
      "queue_has_emitters",
      "This queue has emitters, which fill it. Delete them first.",
    );
  }
  if (outcome === "not-empty") {
    throw problem.conflict(
      "queue_not_empty",
      "This queue has live signals. Purge it (with in_flight) or wait for their end.",
    );
  }
}
