import { z } from "zod";
import { runnerPlatforms } from "../../runner-platforms.ts";
import * as kind from "./kinds.ts";
import {
  inputMembers,
  operationRoles,
  operations,
  planMembers,
  sourceChoice,
  varFiles,
} from "./shared-members.ts";

export const metadata = z.strictObject({
  name: kind.name(
    "The app's name; `svc app sync` finds or creates the app by it. Without one: `--app`, else the app that is synced, else the directory's name.",
  ),
  version: kind
    .oneOf("The version of this format; an empty text is v1.", ["", "v1", "v2"])
    .optional(),
  display_name: kind.text("What people read instead of the name.", 255).optional(),
  description: kind.text("What the app is.", 4096).optional(),
  readme: kind.fileText("Markdown for who looks at an install.").optional(),
  default_labels: kind.labels("Labels that every install has; locked there.").optional(),
  label_colors: kind.texts("A color for a label's key.").optional(),
  links: kind.texts("Names and the URLs behind them.").optional(),
  slack_webhook_url: kind.text("Kept and shown; nothing is sent there.", 2048).optional(),
  fetched: kind
    .list(
      "The texts that `--fetch` put in the place of URLs; `svc app sync` writes it.",
      z.strictObject({
        url: kind.text("Where it was.", 2048),
        sha256: z
          .string()
          .regex(/^[0-9a-f]{64}$/, { error: "must be 64 hexadecimal digits" })
          .meta({ description: "The SHA-256 of what came." }),
      }),
    )
    .optional(),
  onboarding: kind.values("Kept and shown; nothing acts on it.").optional(),
});

export const inputGroup = z.strictObject({
  name: kind.name("The group's name."),
  display_name: kind.text("What people read instead of the name.", 255).optional(),
  description: kind.text("What its inputs are for.", 4096).optional(),
});

export const input = z.strictObject({
  ...inputMembers,
  group: kind.name("The group that it is shown in.").optional(),
  source: kind
    .oneOf(
      "Who gives it: the vendor, or the customer (default vendor). The customer's is not demanded of a new install; until there are stacks, the vendor gives it, too.",
      ["vendor", "customer"],
    )
    .optional(),
  cloudformation_stack_name: kind.text("The stack whose parameter it is.", 255).optional(),
  cloudformation_stack_parameter_name: kind.text("That parameter's name.", 255).optional(),
  internal: kind.flag("Has no effect any more.").optional(),
});

/** Of inputs.toml: where further inputs are. */
export const inputSources = {
  source: kind.text("A further file like this one, as `./path`.", 4096).optional(),
  sources: kind
    .list("Further files like this one, each as `./path`.", kind.text("", 4096))
    .optional(),
};

export const sandbox = z.strictObject({
  type: kind.oneOf("What makes it (default terraform).", ["terraform", "pulumi"]).optional(),
  runtime: kind.text("Pulumi's runtime.", 64).optional(),
  aws_region_type: kind.text("Which regions it supports.", 64).optional(),
  terraform_version: kind.text("The version of terraform.", 64).optional(),
  pulumi_version: kind.text("The version of pulumi.", 64).optional(),
  pulumi_config: kind.texts("Pulumi's configuration.").optional(),
  vars: kind.values("Variables.").optional(),
  var_file: varFiles,
  env_vars: kind.env("Environment variables of its runs.").optional(),
  ...planMembers,
  operation_roles: operationRoles,
  ...sourceChoice,
});

export const runner = z.strictObject({
  runner_type: kind.oneOf("Where the runner of an install runs.", runnerPlatforms),
  env_vars: kind.env("Environment variables of the runner.").optional(),
  helm_driver: kind.oneOf("Where helm keeps releases.", ["secret", "configmap", ""]).optional(),
  init_script_url: kind.url("A shell script that the host runs at boot.").optional(),
  instance_type: kind.text("The host's type.", 64).optional(),
  phone_home_script_url: kind.url("The phone-home function's own source.").optional(),
  public_api_url: kind.url("Where stacks call back, if not here.").optional(),
  runner_api_url: kind.url("Where runners call, if not here.").optional(),
});

export const nestedStacks = kind
  .list(
    "Further stacks in the template, in their order.",
    z.strictObject({
      name: kind.name("Its name; outputs are at `custom_nested_stacks.NAME.outputs`."),
      template_url: kind.templateUrl("Its template.", "contents"),
      contents: kind.fileText("That template, where its URL is `./path`.").optional(),
      index: kind.whole("Its place among the others.", [0, 1000]).optional(),
      parameters: kind.texts("Its parameters.").optional(),
    }),
    50,
  )
  .optional();

const ofPath = kind.fileText("That template, where its URL is `./path`.").optional();

export const stackTemplates = {
  custom_nested_stacks: nestedStacks,
  runner_nested_template_url: kind
    .templateUrl("The runner's part of the template, if not ours.", "runner_nested_template")
    .optional(),
  runner_nested_template: ofPath,
  vpc_nested_template_url: kind
    .templateUrl("The network's part of the template, if not ours.", "vpc_nested_template")
    .optional(),
  vpc_nested_template: ofPath,
};

export const stack = z.strictObject({
  type: kind.oneOf("What the customer runs.", [
    "aws-cloudformation",
    "azure-bicep",
    "gcp-terraform",
  ]),
  name: kind.text("The stack's name.", 255).optional(),
  description: kind.text("What the customer reads about it.", 4096).optional(),
  deployment_scope: kind
    .oneOf("Azure: what it is deployed to.", ["resource_group", "subscription"])
    .optional(),
  ...stackTemplates,
});

export const operationRoleRule = z.strictObject({
  operation: kind.oneOf("The operation.", operations),
  principal: kind.text("Who does it: sandbox, component:NAME, action:NAME or *.", 128),
  role: kind.renderedName("The role's name."),
});

export const kubernetesContext = z.strictObject({
  name: kind.name("The context's name."),
  source_component_name: kind.name("The component whose outputs name the cluster."),
});

const page = (is: string) => kind.text(is).optional();

/** What installers showed to customers. */
export const installer = z.strictObject({
  name: page("Its name."),
  slug: page("Its name in URLs."),
  description: page("What it is for."),
  apps: kind.list("Apps that it offers.", kind.text("", 255)).optional(),
  documentation_url: page("Documentation."),
  community_url: page("Where users meet."),
  homepage_url: page("The vendor's page."),
  github_url: page("The sources."),
  demo_url: page("A demo."),
  logo_url: page("A picture."),
  favicon_url: page("A small picture."),
  og_image_url: page("A picture for links."),
  post_install_markdown: page("What is read after an install."),
  footer_markdown: page("What is read below."),
  copyright_markdown: page("Whose it is."),
});
