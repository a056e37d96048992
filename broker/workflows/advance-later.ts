import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";

/** Has a workflow looked at in a few seconds, besides what else has it looked at. */
export async function advanceLater(db: Db, org: OrgId, id: string): Promise<void> {
  await db`
    select graphile_worker.add_job(workflow_task(), json_build_object('org_id', ${org}::text, 'workflow_id', ${id}::text),
                                   run_at := svc_now() + (2 + 2 * random()) * interval '1 second',
                                   job_key := 'advance-later:' || ${id}::text, max_attempts := 10)`;
}
