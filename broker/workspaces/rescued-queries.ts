import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { RescuedStateRow } from "./row.ts";

/** The rescued states of a workspace, newest first. */
export async function listRescued(
  db: Db,
  org: OrgId,
  workspaceId: string,
): Promise<RescuedStateRow[]> {
  return db<RescuedStateRow[]>`
    select r.* from terraform_rescued_states r
     where r.org_id = ${org} and r.workspace_id = ${workspaceId} order by r.id desc`;
}

/** One of them; undefined when this workspace has none of that id. */
export async function findRescued(
  db: Db,
  org: OrgId,
  { workspaceId, id }: { readonly workspaceId: string; readonly id: string },
): Promise<RescuedStateRow | undefined> {
  const [row] = await db<RescuedStateRow[]>`
    select r.* from terraform_rescued_states r
     where r.org_id = ${org} and r.workspace_id = ${workspaceId} and r.id = ${id}`;
  return row;
}

/** Whether a job ended more than this many days ago, by the database's clock. */
export async function hasEndedBefore(
  db: Db,
  org: OrgId,
  { jobId, days }: { readonly jobId: string; readonly days: number },
): Promise<boolean> {
  const [row] = await db<object[]>`
    select 1 from runner_job_ends d
     where d.org_id = ${org} and d.runner_job_id = ${jobId}
       and d.finished_at < svc_now() - make_interval(days => ${days})`;
  return row !== undefined;
}
