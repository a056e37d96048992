import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";

/** Refuses with 409 to run a job of a workflow again: its step is tried again instead. */
export async function refuseOfWorkflow(db: Db, org: OrgId, jobId: string): Promise<void> {
  const [row] = await db<{ workflow_id: string | null }[]>`
    select workflow_id from runner_jobs where org_id = ${org} and id = ${jobId}`;
  const workflow = row?.workflow_id ?? null;
  if (workflow === null) return;
  throw problem.conflict(
    "workflow_job",
    `This job belongs to the workflow ${workflow}. Try its step again: svc workflow retry ${workflow}`,
    { workflow_id: workflow },
  );
}
