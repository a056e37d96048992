import { z } from "zod";
import {
  cloudAuth,
  flag,
  object,
  registry,
  sandboxMode,
  secretText,
  secretTexts,
  text,
  words,
} from "./plan-members.ts";
import { terraformPlan } from "./terraform-plan.ts";

const helm = z.looseObject({
  cluster_info: object,
  name: text,
  namespace: text,
  create_namespace: flag,
  storage_driver: text,
  helm_chart_id: text,
  values_files: secretTexts,
  values: z.array(z.looseObject({ name: text, value: secretText, type: text })).nullish(),
  values_override: secretText,
  take_ownership: flag,
});

const kubernetesManifest = z.looseObject({
  cluster_info: object,
  namespace: text,
  manifest: secretText,
  oci_artifact: object,
  state: object,
});

const pulumi = z.looseObject({ env_vars: words, ...cloudAuth });

/** What is deployed, and where the artifact to deploy comes from; one of the kinds is given. */
export const deployPlan = z.looseObject({
  install_id: text,
  app_id: text,
  app_config_id: text,
  component_id: text,
  component_name: text,
  src_registry: registry,
  src_tag: text,
  src_digest: text,
  terraform: terraformPlan.nullish(),
  helm: helm.nullish(),
  kubernetes_manifest: kubernetesManifest.nullish(),
  pulumi: pulumi.nullish(),
  noop: object,
  apply_plan_contents: secretText,
  apply_plan_display: secretText,
  sandbox_mode: sandboxMode,
});
