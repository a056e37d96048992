import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Seals } from "../seals/seals.ts";
import { openPlan } from "./sealed-plan.ts";

/** The text of a job's plan; undefined where it has none any more. */
export async function findPlanText(
  { db, seals }: { readonly db: Db; readonly seals: Seals },
  org: OrgId,
  jobId: string,
): Promise<string | undefined> {
  const [row] = await db<{ key_id: string | null; contents: Buffer }[]>`
    select p.key_id, p.contents from runner_job_plans p where p.runner_job_id = ${jobId} and p.org_id = ${org}`;
  return row && openPlan(seals, { orgId: org, id: jobId }, row);
}
