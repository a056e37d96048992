import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Actor } from "../tokens/actor.ts";

const needed = "installs.operate";

/** Whether the caller may cancel what workflows of installs do. */
export const mayCancelWorkflows = ({ permissions }: Pick<Actor, "permissions">): boolean =>
  permissions.has(needed);

/** Refuses with 403 to cancel a job of a workflow without the permission to operate installs: its step ends with it. */
export async function requireWorkflowRights(
  db: Db,
  actor: Pick<Actor, "orgId" | "permissions">,
  jobId: string,
): Promise<void> {
  if (mayCancelWorkflows(actor)) return;
  const workflow = await findWorkflowOf(db, actor.orgId, jobId);
  if (workflow === undefined) return;
  throw problem.forbidden(
    "permission_missing",
    `This job belongs to the workflow ${workflow}, which ends with it. This token lacks the permission ${needed}.`,
  );
}

/** Refuses with 409 to run a job of a workflow again: its step is tried again instead. */
export async function refuseOfWorkflow(db: Db, org: OrgId, jobId: string): Promise<void> {
  const workflow = await findWorkflowOf(db, org, jobId);
  if (workflow === undefined) return;
  throw problem.conflict(
    "workflow_job",
    `This job belongs to the workflow ${workflow}. Try its step again: svc workflow retry ${workflow}`,
    { workflow_id: workflow },
  );
}

async function findWorkflowOf(db: Db, org: OrgId, jobId: string): Promise<string | undefined> {
  const [row] = await db<{ id: string | null }[]>`
    select j.workflow_id as id from runner_jobs j where j.org_id = ${org} and j.id = ${jobId}`;
  return row?.id ?? undefined;
}
