import { z } from "zod";
import { jobPlan } from "./job-plan.ts";
import {
  flag,
  object,
  sandboxMode,
  secretText,
  secretTexts,
  source,
  text,
  texts,
} from "./plan-members.ts";
import { pulumiPlan } from "./pulumi-plan.ts";
import { registry } from "./registry-member.ts";
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
  // What follows is ours.
  /** What templates in the chart's own values read below `.svc`; and what of it is sensitive, of the same shape. */
  state: object,
  state_sensitive: object,
  source,
  /** In a repository of charts, in place of a source. */
  chart: z
    .looseObject({
      repository: text,
      name: text,
      version: text,
      username: secretText,
      password: secretText,
    })
    .nullish(),
  skip_crds: flag,
  force_conflicts: flag,
  /** Fields of live objects that become outputs, by their names. */
  outputs: z
    .record(
      z.string(),
      z.looseObject({ kind: text, api_version: text, name: text, path: text }).nullish(),
    )
    .nullish(),
  /** Nanoseconds to wait until all is ready. */
  timeout: z.int().nullish(),
});

const kubernetesManifest = z.looseObject({
  cluster_info: object,
  namespace: text,
  manifest: secretText,
  oci_artifact: object,
  /** What templates of the manifest's source read below `.svc`. */
  state: object,
  // What follows is ours.
  /** What of it is sensitive, of the same shape. */
  state_sensitive: object,
  source,
  /** Within the source; all of its folder unless told. */
  files: texts,
  kustomize: z
    .looseObject({
      path: text,
      enable_helm: flag,
      load_restrictor: text,
      patches: secretTexts,
    })
    .nullish(),
  /** Takes over fields that others manage. */
  force_conflicts: flag,
  /** Deletes what earlier deploys made and this one has not. */
  prune: flag,
  /** Kinds with which more goes than themselves, and that may be deleted all the same. */
  delete_kinds: texts,
  /** Names what belongs together over deploys; the install and the component unless told. */
  inventory: text,
  wait: flag,
  /** Nanoseconds to wait until all is ready. */
  timeout: z.int().nullish(),
});

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
  /** Other names of `.svc` in templates of the artifact. */
  brands: texts,
  /** The Secret by which the cluster pulls images; with its login in what applies, which writes it. `removed`: a teardown takes it away. */
  pull_secret: z
    .looseObject({
      removed: flag,
      name: text,
      server: text,
      /** Which namespace of which cluster it is, to the broker. */
      place: text,
      login: z.looseObject({ username: secretText, password: secretText }).nullish(),
    })
    .nullish(),
  terraform: terraformPlan.nullish(),
  helm: helm.nullish(),
  kubernetes_manifest: kubernetesManifest.nullish(),
  pulumi: pulumiPlan.nullish(),
  job: jobPlan.nullish(),
  noop: object,
  apply_plan_contents: secretText,
  apply_plan_display: secretText,
  sandbox_mode: sandboxMode,
});
