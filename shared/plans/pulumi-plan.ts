import { z } from "zod";
import { awsAuth, azureAuth, gcpAuth } from "./cloud-auth.ts";
import { clusterInfo } from "./cluster-info.ts";
import { flag, object, source, text, words } from "./plan-members.ts";

/** A stack of Pulumi: which program it runs, with what config, and where its state is. */
const stack = {
  runtime: text,
  stack_name: text,
  workspace_id: text,
  config: words,
  pulumi_version: text,
  update_plans: flag,
};

/** Where the sandbox of an install is a stack of Pulumi. */
export const pulumiBackend = z.looseObject(stack);

/** Only the plan with this digest is applied, on this revision of its source. Ours. */
export const pulumiApproved = z.looseObject({ plan_sha256: text, source_revision: text });

/** A deploy of a stack. */
export const pulumiPlan = z.looseObject({
  ...stack,
  env_vars: words,
  secret_env_vars: words, // ours
  aws_auth: awsAuth,
  azure_auth: azureAuth,
  gcp_auth: gcpAuth,
  cluster_info: clusterInfo,
  destroy: flag,
  plan_json: z.array(z.int()).meta({ secret: true }).nullish(),
  state: object,
  // What follows is ours.
  approved: pulumiApproved.nullish(),
  /** Nanoseconds. */
  timeout: z.number().nullish(),
  cancel_patience: z.number().nullish(),
  lock_timeout: z.number().nullish(),
  source,
  pulumi_backend: pulumiBackend.nullish(),
});
