import { z } from "zod";
import type { Brands } from "../brands.ts";
import * as actions from "./members/action-members.ts";
import * as app from "./members/app-members.ts";
import { component } from "./members/component.ts";
import * as delivery from "./members/delivery-members.ts";
import { list, oneOf } from "./members/kinds.ts";
import * as permission from "./members/permission-members.ts";

const many = 500;

/** The whole config, checked: what brokers store. Places of things in lists that have no order of their own are by name. */
export const configSchema = z.strictObject({
  metadata: app.metadata,
  inputs: z
    .strictObject({
      group: list("Groups, in the order in which they are shown.", app.inputGroup).optional(),
      input: list("Inputs, in the order in which they are shown.", app.input, many).optional(),
    })
    .optional(),
  sandbox: app.sandbox.optional(),
  runner: app.runner.optional(),
  stack: app.stack.optional(),
  permissions: permission.permissions.optional(),
  break_glass: z.strictObject({ role: list("Roles of emergencies.", permission.role) }).optional(),
  operation_roles: z
    .strictObject({
      type: oneOf("How roles are found.", ["matrix"]).optional(),
      rules: list("Which role who uses for what.", app.operationRoleRule).optional(),
    })
    .optional(),
  policies: z.strictObject({ policy: list("Policies.", permission.policy) }).optional(),
  secrets: z.strictObject({ secret: list("Secrets.", permission.secret) }).optional(),
  kubernetes_contexts: z
    .strictObject({ context: list("Clusters that actions can name.", app.kubernetesContext) })
    .optional(),
  components: list("Components.", component, many).optional(),
  actions: list("Actions.", actions.action, many).optional(),
  runbooks: list("Runbooks.", actions.runbook, many).optional(),
  branches: list("Branches.", delivery.branch).optional(),
  installs: list("Installs.", delivery.install, many).optional(),
  installer: app.installer.optional(),
  installs_config: delivery.installsConfig.optional(),
  trigger_rules: z
    .strictObject({ rule: list("What begins by events from outside.", delivery.triggerRule) })
    .optional(),
});

type Sections = z.output<typeof configSchema>;
/** A checked config, durations in nanoseconds, with the brands with which it was read, if there were any. */
export type AppConfigDocument = Sections & { readonly brands?: Brands | undefined };
export type Section = keyof Sections;

/** One kind of file of a config's directory. */
export type ConfigFile = {
  /** What its contents are called where one of the kind is meant: `config-schema?type=`. */
  readonly type: string;
  readonly section: Section;
  /** The one file of the kind: all there is of it. */
  readonly file?: string;
  /** The folder whose files are one thing each. */
  readonly folder?: string;
  /** The member of `file` that lists what `folder` holds; where it is not the file's whole. */
  readonly member?: string;
  /** The folder: what each of its files has. */
  readonly mark?: "name" | "type";
  readonly schema: z.ZodType;
  readonly is: string;
};

const { shape } = configSchema;

/** Every file of a config's directory: the checker, the editors' schemas, the docs and `svc app init` follow from it. */
export const configFiles: readonly ConfigFile[] = [
  alone("metadata", app.metadata.partial({ name: true }), "The app itself. Required."),
  alone("inputs", shape.inputs.unwrap().extend(app.inputSources), "What is asked of each install."),
  {
    type: "input",
    section: "inputs",
    folder: "inputs",
    member: "input",
    mark: "name",
    schema: app.input,
    is: "One input a file, by the files' names, instead of inputs.toml.",
  },
  {
    type: "input-group",
    section: "inputs",
    folder: "input_groups",
    member: "group",
    mark: "name",
    schema: app.inputGroup,
    is: "One group of inputs a file, instead of inputs.toml.",
  },
  alone("sandbox", app.sandbox, "What an install stands on: terraform or pulumi."),
  alone("runner", app.runner, "The runner of an install."),
  alone("stack", app.stack, "The template that the customer runs."),
  alone("permissions", permission.permissionsFile, "Roles in the customer's account."),
  {
    type: "permission",
    section: "permissions",
    folder: "permissions",
    mark: "type",
    schema: z.looseObject({ type: z.enum(permission.permissionKinds) }),
    is: "One role or shared policy a file, by its `type`, instead of permissions.toml.",
  },
  {
    type: "named-policy",
    section: "permissions",
    folder: "permissions/policies",
    member: "named_policies",
    mark: "name",
    schema: permission.namedPolicy,
    is: "One policy that several roles share a file.",
  },
  alone("break_glass", shape.break_glass.unwrap(), "Roles of emergencies."),
  {
    type: "break-glass-role",
    section: "break_glass",
    folder: "break_glass",
    member: "role",
    mark: "name",
    schema: permission.role,
    is: "One role of emergencies a file, instead of break_glass.toml.",
  },
  alone("operation_roles", shape.operation_roles.unwrap(), "Which role an operation uses."),
  alone(
    "policies",
    z.strictObject({ policy: list("Policies.", permission.policyInFile) }),
    "What plans and images must pass.",
  ),
  {
    type: "policy",
    section: "policies",
    folder: "policies",
    member: "policy",
    mark: "type",
    schema: permission.policyInFile,
    is: "One policy a file, instead of policies.toml.",
  },
  alone("secrets", shape.secrets.unwrap(), "Secrets that the stack asks for."),
  {
    type: "secret",
    section: "secrets",
    folder: "secrets",
    member: "secret",
    mark: "name",
    schema: permission.secret,
    is: "One secret a file, instead of secrets.toml.",
  },
  alone(
    "kubernetes_contexts",
    shape.kubernetes_contexts.unwrap(),
    "Clusters that actions can name.",
  ),
  {
    type: "kubernetes-context",
    section: "kubernetes_contexts",
    folder: "kubernetes_contexts",
    member: "context",
    mark: "name",
    schema: app.kubernetesContext,
    is: "One cluster a file, instead of kubernetes_contexts.toml.",
  },
  {
    type: "component",
    section: "components",
    folder: "components",
    mark: "type",
    schema: component,
    is: "One component a file.",
  },
  {
    type: "action",
    section: "actions",
    folder: "actions",
    mark: "name",
    schema: actions.action,
    is: "One action a file.",
  },
  {
    type: "runbook",
    section: "runbooks",
    folder: "runbooks",
    mark: "name",
    schema: actions.runbook,
    is: "One runbook a file.",
  },
  {
    type: "branch",
    section: "branches",
    file: "branch.toml",
    schema: delivery.branch,
    is: "The one branch.",
  },
  {
    type: "branch",
    section: "branches",
    folder: "branches",
    mark: "name",
    schema: delivery.branch,
    is: "One branch a file, instead of branch.toml.",
  },
  {
    type: "install",
    section: "installs",
    folder: "installs",
    mark: "name",
    schema: delivery.install,
    is: "One install a file: checked; a branch's runs act on it.",
  },
  {
    type: "installs",
    section: "installs_config",
    file: "installs.toml",
    schema: delivery.installsConfig,
    is: "Where files of installs are, if not in installs/. Kept and shown; nothing acts on it.",
  },
  alone("installer", app.installer, "A page for customers. Kept and shown; nothing acts on it."),
  alone("trigger_rules", shape.trigger_rules.unwrap(), "What begins by events from outside."),
];

/** The file that is all there is of its section, and is called as it. */
function alone(section: Section, schema: z.ZodType, is: string): ConfigFile {
  const type = section.replaceAll("_", "-");
  return { type, section, file: `${section}.toml`, schema, is };
}
