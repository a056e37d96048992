import type { RunnerJobType } from "../runner-job-types.ts";

/** By which members a composite plan names plans: of each kind one. */
export const planMembers = [
  "action_workflow_run_plan",
  "build_plan",
  "deploy_plan",
  "fetch_image_metadata_plan",
  "sandbox_run_plan",
  "sync_oci_plan",
  "sync_secrets_plan",
] as const;
export type PlanMember = (typeof planMembers)[number];

const members: Partial<Record<RunnerJobType, PlanMember>> = {
  "docker-build": "build_plan",
  "container-image-build": "build_plan",
  "terraform-module-build": "build_plan",
  "helm-chart-build": "build_plan",
  "kubernetes-manifest-build": "build_plan",
  "pulumi-build": "build_plan",
  "noop-build": "build_plan",
  "sandbox-build": "build_plan",
  "oci-sync": "sync_oci_plan",
  "noop-sync": "sync_oci_plan",
  "fetch-image-metadata": "fetch_image_metadata_plan",
  "terraform-deploy": "deploy_plan",
  "helm-chart-deploy": "deploy_plan",
  "job-deploy": "deploy_plan",
  "kubernetes-manifest-deploy": "deploy_plan",
  "pulumi-deploy": "deploy_plan",
  "noop-deploy": "deploy_plan",
  "sandbox-terraform": "sandbox_run_plan",
  "sandbox-terraform-plan": "sandbox_run_plan",
  "sandbox-pulumi": "sandbox_run_plan",
  "sandbox-sync-secrets": "sync_secrets_plan",
  "actions-workflow": "action_workflow_run_plan",
};

/** Which kind of plan a job of the type has; undefined where a plan may be any object. */
export function planMemberFor(type: RunnerJobType): PlanMember | undefined {
  return members[type];
}
