import type { z } from "zod";
import type { RunnerJobType } from "../runner-job-types.ts";
import { actionPlan } from "./action-plan.ts";
import { buildPlan } from "./build-plan.ts";
import { deployPlan } from "./deploy-plan.ts";
import { imageMetadataPlan } from "./image-metadata-plan.ts";
import { type PlanMember, planMemberFor } from "./plan-member-for.ts";
import { sandboxPlan } from "./sandbox-plan.ts";
import { syncPlan } from "./sync-plan.ts";
import { syncSecretsPlan } from "./sync-secrets-plan.ts";

const schemas: Readonly<Record<PlanMember, z.ZodType>> = {
  action_workflow_run_plan: actionPlan,
  build_plan: buildPlan,
  deploy_plan: deployPlan,
  fetch_image_metadata_plan: imageMetadataPlan,
  sandbox_run_plan: sandboxPlan,
  sync_oci_plan: syncPlan,
  sync_secrets_plan: syncSecretsPlan,
};

/** The shape of the plans of a job type; undefined where a plan may be any object. */
export function planSchemaFor(type: RunnerJobType): z.ZodType | undefined {
  const member = planMemberFor(type);
  return member && schemas[member];
}
