import type { AppConfig } from "../../shared/api/action-runs.ts";
import { deployPlan } from "../../shared/plans/deploy-plan.ts";
import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import { jobsInScope } from "../plan-scope/jobs-in-scope.ts";
import type { Seals } from "../seals/seals.ts";
import type { Actor } from "../tokens/actor.ts";

/** The app config that the plan of one of the runner's jobs names; 404 for any other. */
export async function readAppConfig(
  parts: { readonly db: Db; readonly seals: Seals },
  actor: Actor,
  { appId, configId }: { readonly appId: string; readonly configId: string },
): Promise<AppConfig> {
  for await (const job of jobsInScope(parts, actor, { name: configId })) {
    const { success, data: plan } = deployPlan.safeParse(JSON.parse(job.plan));
    if (!success || plan.app_id !== appId || plan.app_config_id !== configId) continue;
    const terraformVersion = job.metadata["terraform_version"] ?? "";
    const component = {
      app_config_id: configId,
      component_id: plan.component_id ?? "",
      component_name: plan.component_name ?? "",
      terraform_module: { version: terraformVersion },
    };
    return {
      id: configId,
      app_id: appId,
      org_id: actor.orgId,
      status: "active",
      sandbox: {
        app_id: appId,
        app_config_id: configId,
        terraform_version: terraformVersion,
        pulumi_version: job.metadata["pulumi_version"] ?? "",
      },
      component_config_connections: component.component_id === "" ? [] : [component],
    };
  }
  throw problem.notFound("app config");
}
