import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { deleteGroupRow } from "./queries.ts";

/** Deletes a group; 409 while the group has runners. */
export async function deleteRunnerGroup(db: Db, org: OrgId, id: string): Promise<void> {
  const outcome = await deleteGroupRow(db, org, id);
  if (outcome === "not-found") throw problem.notFound("runner group");
  if (outcome === "in-use") {
    throw problem.conflict(
      "runner_group_in_use",
      "The group still has runners. Delete them first.",
    );
  }
}
