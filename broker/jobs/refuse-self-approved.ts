import { type Problem, problem } from "../../shared/problem.ts";
import { type RunnerJobType, runnerJobType } from "../../shared/runner-job-types.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";

type NewJob = { readonly runnerId: string; readonly type: RunnerJobType };

/**
 * Refuses with 403 what is to make a job for an install's runner by hand later, where the org has somebody else approve: nobody
 * could. `enqueue_jobs` of the database refuses the job itself.
 */
export async function refuseSelfApproved(
  db: Db,
  org: OrgId,
  { runnerId, type }: NewJob,
): Promise<void> {
  if (runnerJobType(type).ordersRunner === true) return;
  const rows = await db`
    select from orgs o
      join runners u on u.org_id = o.id and u.id = ${runnerId}
      join installs i on i.runner_group_id = u.runner_group_id and i.deleted_at is null
     where o.id = ${org} and o.prevent_self_approval`;
  if (rows.length > 0) throw selfApproved();
}

/** The refusal of a job by hand. */
export const selfApproved = (): Problem =>
  problem.forbidden(
    "self_approval",
    "This runner is an install's, and in this org somebody else approves what is done there (prevent_self_approval): nobody can " +
      "approve a job that is enqueued by hand. Begin an ad hoc run of the install instead, which waits for an approval: " +
      "POST /v1/installs/{install_id}/actions/adhoc-run.",
  );
