import { z } from "zod";
import * as kind from "./kinds.ts";
import { health, operationRoles, planMembers, sourceChoice, varFiles } from "./shared-members.ts";

/** The members that components of each type have. */
export const sharedByAll = {
  name: kind.name("The component's name."),
  var_name: kind.name("The name in templates, if not the same.").optional(),
  labels: kind.labels("Its labels.").optional(),
  dependencies: kind
    .list("Components that are deployed before it, besides those it refers to.", kind.name(""))
    .optional(),
  toggleable: kind.flag("Whether installs may leave it out.").optional(),
  default_enabled: kind
    .flag("Toggleable: whether an install has it that does not say. False unless told.")
    .optional(),
  operation_roles: operationRoles,
  kubernetes_context: kind
    .name("The cluster that it is in; the sandbox's unless told. What makes it is deployed before.")
    .optional(),
  health,
  build_timeout: kind.duration("How long a build may take.", ["1s", "24h"]).optional(),
  deploy_timeout: kind.duration("How long a deploy may take.", ["1s", "24h"]).optional(),
  ...planMembers,
};

const envVars = kind.env("Environment variables.").optional();
const imageSource = {
  image_url: kind.text("The image, without a tag.", 1024),
  tag: kind.text("The tag.", 255).optional(),
  update_policy: kind.text("Which tags are followed, instead of one tag.", 255).optional(),
};

const terraformModule = z.strictObject({
  type: z.literal("terraform_module"),
  ...sharedByAll,
  terraform_version: kind.text("The version of terraform.", 64).optional(),
  vars: kind.values("Variables.").optional(),
  var_file: varFiles,
  env_vars: envVars,
  ...sourceChoice,
});

const helmChart = z.strictObject({
  type: z.literal("helm_chart"),
  ...sharedByAll,
  chart_name: kind.text("The release's name.", 53),
  namespace: kind.text("Its namespace.", 253).optional(),
  helm_repo: z
    .strictObject({
      repo_url: kind.url("The repository of charts."),
      chart: kind.text("The chart's name in it.", 255),
      version: kind.text("The chart's version.", 64).optional(),
    })
    .meta({ description: "The chart, from a repository of charts; else from a source repository." })
    .optional(),
  values: kind.values("Values.").optional(),
  values_file: varFiles,
  skip_crds: kind.flag("Leaves custom resource definitions out.").optional(),
  storage_driver: kind.oneOf("Where helm keeps the release.", ["secret", "configmap"]).optional(),
  take_ownership: kind.flag("Takes over objects that are there already.").optional(),
  ...sourceChoice,
});

const dockerBuild = z.strictObject({
  type: z.literal("docker_build"),
  ...sharedByAll,
  dockerfile: kind.text("The Dockerfile's path.", 1024).optional(),
  target: kind.text("The stage that is built.", 255).optional(),
  build_args: kind.texts("Build arguments.").optional(),
  secrets: kind
    .list("App secrets that `RUN --mount=type=secret,id=NAME` may read.", kind.name(""), 20)
    .optional(),
  env_vars: envVars,
  ...sourceChoice,
});

const containerImage = z.strictObject({
  type: z.enum(["container_image", "external_image"]),
  ...sharedByAll,
  aws_ecr: z
    .strictObject({
      ...imageSource,
      aws_region: kind.text("The registry's region.", 64),
      iam_role_arn: kind.text("The role that may read it.", 2048).optional(),
    })
    .meta({ description: "The image is in Amazon ECR." })
    .optional(),
  gcp_gar: z
    .strictObject({
      ...imageSource,
      gcp_project_id: kind.text("The project.", 64),
      gcp_region: kind.text("The registry's region.", 64),
      service_account_email: kind.text("Who may read it.", 320).optional(),
      workload_identity_provider: kind.text("By which provider.", 1024).optional(),
    })
    .meta({ description: "The image is in Google Artifact Registry." })
    .optional(),
  azure_acr: z
    .strictObject({
      ...imageSource,
      registry_url: kind.text("The registry.", 1024),
      tenant_id: kind.text("The tenant.", 64).optional(),
      client_id: kind.text("Who may read it.", 64).optional(),
      client_secret_name: kind.text("The app secret that holds the password.", 63).optional(),
      client_certificate_name: kind.text("The app secret that holds the key.", 63).optional(),
    })
    .meta({ description: "The image is in Azure Container Registry." })
    .optional(),
  public: z
    .strictObject(imageSource)
    .meta({ description: "The image is one that everybody can read." })
    .optional(),
});

const kubernetesManifest = z.strictObject({
  type: z.literal("kubernetes_manifest"),
  ...sharedByAll,
  namespace: kind.text("The namespace of what names none.", 253).optional(),
  manifest: kind.fileText("The manifest, as YAML.").optional(),
  kustomize: z
    .strictObject({
      path: kind.text("The folder in the repository.", 1024),
      enable_helm: kind.flag("Whether charts are inflated.").optional(),
      load_restrictor: kind.oneOf("What it may read.", ["none", "rootOnly"]).optional(),
      patches: kind.list("Patches.", kind.text("")).optional(),
    })
    .meta({ description: "Kustomize instead of a manifest; needs a repository." })
    .optional(),
  ...sourceChoice,
});

const pulumi = z.strictObject({
  type: z.literal("pulumi"),
  ...sharedByAll,
  runtime: kind.text("Pulumi's runtime.", 64),
  pulumi_version: kind.text("The version of pulumi.", 64).optional(),
  config: kind.texts("Pulumi's configuration.").optional(),
  env_vars: envVars,
  ...sourceChoice,
});

const job = z.strictObject({
  type: z.literal("job"),
  ...sharedByAll,
  image_url: kind.text("The image, without a tag.", 1024),
  tag: kind.text("The tag.", 255).optional(),
  cmd: kind.list("The command.", kind.text("")).optional(),
  args: kind.list("Its arguments.", kind.text("")).optional(),
  env_vars: envVars,
});

/** A component, by its type. */
export const component = z.discriminatedUnion("type", [
  terraformModule,
  helmChart,
  dockerBuild,
  containerImage,
  kubernetesManifest,
  pulumi,
  job,
]);
