import type { RunnerChanges } from "../../shared/api/runners.ts";
import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import { isUniqueViolation } from "../database/database-errors.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { nameTaken } from "./create-runner.ts";
import { updateRunnerColumns } from "./queries.ts";

/** Renames a runner; 409 for a name that another one of the org has. */
export async function updateRunner(
  db: Db,
  org: OrgId,
  update: { readonly id: string; readonly changes: RunnerChanges },
): Promise<void> {
  try {
    const isThere = await updateRunnerColumns(db, org, update);
    if (!isThere) throw problem.notFound("runner");
  } catch (error) {
    throw isUniqueViolation(error, "runners_name") ? nameTaken() : error;
  }
}
