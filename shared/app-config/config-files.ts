import { z } from "zod";
import type { Brands } from "../brands.ts";
import * as actions from "./members/action-members.ts";
import * as app from "./members/app-members.ts";
import { component } from "./members/component.ts";
import * as delivery from "./members/delivery-members.ts";
import { list } from "./members/kinds.ts";
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
    .strictObject({ rules: list("Which role who uses for what.", app.operationRoleRule) })
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
  readonly schema: z.ZodType;
  readonly is: string;
};

const { shape } = configSchema;

/** Every file of a config's directory: the checker, the editors' schemas, the docs and `svc app init` follow from it. */
export const configFiles: readonly ConfigFile[] = [
  {
    type: "metadata",
    section: "metadata",
    file: "metadata.toml",
    schema: app.metadata,
    is: "The app itself. Required.",
  },
  {
    type: "inputs",
    section: "inputs",
    file: "inputs.toml",
    schema: shape.inputs.unwrap(),
    is: "What is asked of each install.",
  },
  {
    type: "input",
    section: "inputs",
    folder: "inputs",
    member: "input",
    schema: app.input,
    is: "One input a file, by the files' names, instead of inputs.toml.",
  },
  {
    type: "input-group",
    section: "inputs",
    folder: "input_groups",
    member: "group",
    schema: app.inputGroup,
    is: "One group of inputs a file, instead of inputs.toml.",
  },
  {
    type: "sandbox",
    section: "sandbox",
    file: "sandbox.toml",
    schema: app.sandbox,
    is: "What an install stands on: terraform or pulumi.",
  },
  {
    type: "runner",
    section: "runner",
    file: "runner.toml",
    schema: app.runner,
    is: "The runner of an install.",
  },
  {
    type: "stack",
    section: "stack",
    file: "stack.toml",
    schema: app.stack,
    is: "The template that the customer runs.",
  },
  {
    type: "permissions",
    section: "permissions",
    file: "permissions.toml",
    schema: permission.permissions,
    is: "Roles in the customer's account.",
  },
  {
    type: "permission",
    section: "permissions",
    folder: "permissions",
    schema: z.looseObject({ type: z.enum(permission.permissionKinds) }),
    is: "One role or shared policy a file, by its `type`, instead of permissions.toml.",
  },
  {
    type: "break-glass",
    section: "break_glass",
    file: "break_glass.toml",
    schema: shape.break_glass.unwrap(),
    is: "Roles of emergencies.",
  },
  {
    type: "operation-roles",
    section: "operation_roles",
    file: "operation_roles.toml",
    schema: shape.operation_roles.unwrap(),
    is: "Which role an operation uses.",
  },
  {
    type: "policies",
    section: "policies",
    file: "policies.toml",
    schema: shape.policies.unwrap(),
    is: "What plans and images must pass.",
  },
  {
    type: "policy",
    section: "policies",
    folder: "policies",
    member: "policy",
    schema: permission.policy,
    is: "One policy a file, instead of policies.toml.",
  },
  {
    type: "secrets",
    section: "secrets",
    file: "secrets.toml",
    schema: shape.secrets.unwrap(),
    is: "Secrets that the stack asks for.",
  },
  {
    type: "secret",
    section: "secrets",
    folder: "secrets",
    member: "secret",
    schema: permission.secret,
    is: "One secret a file, instead of secrets.toml.",
  },
  {
    type: "kubernetes-contexts",
    section: "kubernetes_contexts",
    file: "kubernetes_contexts.toml",
    schema: shape.kubernetes_contexts.unwrap(),
    is: "Clusters that actions can name.",
  },
  {
    type: "component",
    section: "components",
    folder: "components",
    schema: component,
    is: "One component a file.",
  },
  {
    type: "action",
    section: "actions",
    folder: "actions",
    schema: actions.action,
    is: "One action a file.",
  },
  {
    type: "runbook",
    section: "runbooks",
    folder: "runbooks",
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
    schema: delivery.branch,
    is: "One branch a file, instead of branch.toml.",
  },
  {
    type: "install",
    section: "installs",
    folder: "installs",
    schema: delivery.install,
    is: "One install a file: checked; a branch's runs act on it.",
  },
  {
    type: "trigger-rules",
    section: "trigger_rules",
    file: "trigger_rules.toml",
    schema: shape.trigger_rules.unwrap(),
    is: "What begins by events from outside.",
  },
];
