import type { z } from "zod";
import type { RunnerJobType } from "../runner-job-types.ts";
import { actionPlan } from "./action-plan.ts";
import { buildPlan } from "./build-plan.ts";
import { deployPlan } from "./deploy-plan.ts";
import { imageMetadataPlan } from "./image-metadata-plan.ts";
import { sandboxPlan } from "./sandbox-plan.ts";
import { syncPlan } from "./sync-plan.ts";
import { syncSecretsPlan } from "./sync-secrets-plan.ts";

const schemas: Partial<Record<RunnerJobType, z.ZodType>> = {
  "docker-build": buildPlan,
  "container-image-build": buildPlan,
  "terraform-module-build": buildPlan,
  "helm-chart-build": buildPlan,
  "kubernetes-manifest-build": buildPlan,
  "pulumi-build": buildPlan,
  "noop-build": buildPlan,
  "sandbox-build": buildPlan,
  "oci-sync": syncPlan,
  "noop-sync": syncPlan,
  "fetch-image-metadata": imageMetadataPlan,
  "terraform-deploy": deployPlan,
  "helm-chart-deploy": deployPlan,
  "job-deploy": deployPlan,
  "kubernetes-manifest-deploy": deployPlan,
  "pulumi-deploy": deployPlan,
  "noop-deploy": deployPlan,
  "sandbox-terraform": sandboxPlan,
  "sandbox-terraform-plan": sandboxPlan,
  "sandbox-pulumi": sandboxPlan,
  "sandbox-sync-secrets": syncSecretsPlan,
  "actions-workflow": actionPlan,
};

/** The shape of the plans of a job type; undefined where a plan may be any object. */
export function planSchemaFor(type: RunnerJobType): z.ZodType | undefined {
  return schemas[type];
}
