import type { Db } from "../../../broker/database/connect.ts";
import { newId } from "../../../broker/database/new-id.ts";
import { policyId } from "../../../shared/policies/policy-id.ts";

type Of = {
  readonly orgId: string;
  readonly appId: string;
  readonly componentId: string;
  readonly buildId: string;
  /** The job whose result was judged. */
  readonly jobId?: string;
};

/** A report of a policy that denied a build. */
export async function givenReport(
  db: Db,
  { orgId, appId, componentId, buildId, jobId = newId("job") }: Of,
  message = "The image has the tag latest.",
): Promise<string> {
  const [id, policy] = [newId("plr"), policyId(appId, "no-latest")];
  const named = { policy_id: policy, policy_name: "no-latest" };
  const counts = { deny_count: 1, warn_count: 0, pass_count: 0 };
  const violation = { ...named, input_index: 0, input_identity: "api:latest", message };
  await db`
    insert into policy_reports (id, org_id, owner_type, owner_id, app_id, component_id, component_name, runner_job_id, status,
                                status_description, inputs, policies, policy_ids, violations, deny_count, warn_count, pass_count,
                                evaluated_at, created_at, created_by_id)
    values (${id}, ${orgId}, 'component_builds', ${buildId}, ${appId}, ${componentId}, 'api', ${jobId}, 'deny', ${message},
            ${db.json([{ id: buildId, name: "api:latest", type: "image" }])},
            ${db.json([{ ...named, status: "deny", ...counts, input_count: 1 }])}, array[${policy}]::text[],
            ${db.json([{ ...violation, severity: "deny" }])}, 1, 0, 0, svc_now(), svc_now(), 'acc_1')`;
  return id;
}
