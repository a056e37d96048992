import { z } from "@hono/zod-openapi";
import { mostEntries } from "../most-entries.ts";
import { created, is, labelled, part } from "../resources/filters.ts";
import { instant, int, json, made, orNull, owned, text, word } from "../resources/members.ts";
import { type ItemOf, resource } from "../resources/resource.ts";
import { componentTogglesInput, installConfigInput, installConfigs } from "./install-config.ts";
import { deployedMembers, healthMembers } from "./install-members.ts";
import { labelsInput, labelTemplatesInput } from "./labels-input.ts";
import { toCome } from "./to-come.ts";

const mostMetadata = 100;
const mostInputs = 500;

const metadataInput = z
  .record(z.string().min(1).max(256), z.string().max(4096))
  .check(mostEntries(mostMetadata, `At most ${mostMetadata} entries are allowed.`))
  .describe(
    "Your own notes about it; `managed_by` names the tool that manages it, such as terraform.",
  );
const namePattern = /^[^\p{C}]{1,63}$/u;
const installName = z
  .string()
  .regex(namePattern, "Must be 1 to 63 printable characters.")
  .refine((name) => name.trim() === name, { error: "Must not begin or end with a space." })
  // Its flag would be told as a part of the pattern.
  .openapi({ description: "Unique in the app.", pattern: namePattern.source });
/** A value, or null: the input's default. */
const inputValue = z.union([
  z.string().max(65_536),
  z.number(),
  z.boolean(),
  z.array(z.unknown()).max(1000),
  z.record(z.string(), z.unknown()),
  z.null(),
]);
export const inputsInput = z
  .record(z.string().min(1).max(63), inputValue)
  .check(mostEntries(mostInputs, `At most ${mostInputs} inputs are allowed.`))
  .describe("By name; each fits the type that the app's config gives it. null: as if not given.");
const region = z.string().regex(/^[a-z0-9-]{1,64}$/, "Must be a region's name.");

const expectedAccount = z.string().regex(/^[0-9]{12}$/, "Must be an AWS account's twelve digits.");
const newInstallMembers = {
  name: installName,
  aws_account: z
    .strictObject({
      region,
      account_id: expectedAccount.optional().describe("As `expected_account_id`."),
      connection_id: toCome("connections of cloud accounts come with a later version"),
    })
    .optional(),
  azure_account: z
    .strictObject({
      location: region,
      subscription_id: z.uuid().optional().describe("As `expected_subscription_id`."),
    })
    .optional(),
  gcp_account: z
    .strictObject({ project_id: z.string().min(1).max(64), region })
    .optional()
    .describe("At most one of the three accounts, that of the app's cloud."),
  expected_account_id: expectedAccount.optional(),
  expected_subscription_id: z.uuid().optional(),
  expected_project_id: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe(
      "At most one of the three, that of its cloud: whose account, subscription or project it is meant to be in.",
    ),
  inputs: inputsInput.default({}),
  install_config: installConfigInput.default({}),
  component_toggles: componentTogglesInput.default({}),
  labels: labelsInput.default({}),
  label_templates: labelTemplatesInput.default({}),
  metadata: metadataInput.default({}),
  sandbox_mode: z.boolean().nullable().default(null).describe("null: as its runner group."),
  runner_group_id: z
    .string()
    .max(64)
    .optional()
    .describe("A group of type install with one runner, of no install yet: it becomes this one's."),
  stack_only: toCome("stacks come with a later version"),
  start: z.boolean().default(true).describe("false: it is not provisioned until you request it."),
};
export const newInstallSchema = z
  .strictObject(newInstallMembers)
  .openapi("NewInstall", { example: { name: "acme", inputs: { greeting: "Hello" } } });
export const newInstallOfAppSchema = z
  .strictObject({ app_id: z.string().max(64), ...newInstallMembers })
  .openapi("NewInstallOfApp");
export type NewInstall = z.output<typeof newInstallSchema>;

export const installChangesSchema = z
  .strictObject({
    name: installName,
    metadata: metadataInput,
    label_templates: labelTemplatesInput,
    install_config: installConfigInput,
  })
  .partial()
  .openapi("InstallChanges");
export type InstallChanges = z.output<typeof installChangesSchema>;

const texts = z.record(z.string(), z.string());
export const lifecyclePhases = [
  "created",
  "awaiting-stack",
  "provisioning",
  "active",
  "updating",
  "degraded",
  "deprovisioning",
  "deprovisioned",
  "error",
] as const;

/** In which account of which cloud it is meant to be, and is. */
const places = {
  cloud_platform: word(["aws", "azure", "gcp", "unknown"]),
  aws_account: json(texts.optional()),
  azure_account: json(texts.optional()),
  gcp_account: json(texts.optional()),
  expected_account_id: json(z.string().optional()),
  expected_subscription_id: json(z.string().optional()),
  expected_project_id: json(z.string().optional()),
  cloud_platform_metadata: json(
    z.object({
      expected: z.string().nullable().describe("The account, subscription or project."),
      observed: z.string().nullable().describe("null: not reported yet."),
      match: z.boolean().nullable(),
    }),
    "Whose account it is meant to be in, and is in.",
  ),
} as const;

export const installs = resource({
  noun: "install",
  plural: "installs",
  schema: "Install",
  tag: "Installs",
  prefix: "ins",
  param: "install_id",
  path: "/v1/installs",
  under: [],
  also: ["app"],
  surface: "control-plane",
  read: "installs.read",
  opens: ["list", "get"],
  bound: "list",
  members: {
    ...owned,
    app_id: text(),
    app_name: text("Of its app, as it is now."),
    name: text(),
    install_number: int(),
    app_config_id: orNull(text(), "The config that it has."),
    app_config_ref: json(
      z.object({
        expected_config_id: z.string().nullable().describe("The app's active one."),
        applied_config_id: z
          .string()
          .nullable()
          .describe("That of the last change that succeeded."),
      }),
    ),
    labels: json(texts),
    app_default_labels: json(texts, "The app's; their keys are locked."),
    label_templates: json(texts, "Their keys are locked, too."),
    metadata: json(texts),
    install_config: json(installConfigs.itemSchema, "The current one."),
    lifecycle_phase: json(
      z.object({
        phase: z.enum(lifecyclePhases),
        since: z.iso.datetime(),
        workflow_id: z.string().nullable(),
      }),
    ),
    ...healthMembers,
    ...deployedMembers,
    ...places,
    sandbox_mode: json(
      z.object({ bool: z.boolean(), valid: z.literal(true) }).optional(),
      "Whether it is simulated; left out: as its runner group says.",
    ),
    runner_id: text(),
    runner_group_id: text(),
    runner_status: text(),
    runner_status_description: text(),
    queues: json(z.array(z.object({ id: z.string(), name: z.string() })), "Its lanes."),
    workflow_id: json(z.string().optional(), "Id of the workflow that this request started."),
    created_by_id: made.created_by_id,
    created_at: made.created_at,
    updated_at: instant(),
  },
  filters: {
    app_id: is("app_id", z.string().max(64).optional().describe("Of which app.")),
    runner_id: is("runner_id", z.string().max(64).optional().describe("Of which runner.")),
    name: is("name", z.string().max(63).optional().describe("Exactly this.")),
    q: part("name", "A part of the name."),
    phase: is(
      "lifecycle_phase",
      z.enum(lifecyclePhases).optional().describe("In which phase they are."),
    ),
    labels: labelled("labels"),
    ...created,
  },
});
export type Install = ItemOf<typeof installs>;

export const installEventSchema = z
  .object({
    id: z.string(),
    org_id: z.string(),
    install_id: z.string(),
    operation: z.string().describe("The type of the workflow."),
    operation_name: z.string().describe("The same in words."),
    operation_status: z.enum(["started", "finished", "noop", "failed"]),
    payload: z
      .object({ workflow_id: z.string(), transition: z.string(), error: z.string().optional() })
      .describe("The workflow, its transition, and why it failed."),
    created_at: z.iso.datetime(),
  })
  .openapi("InstallEvent");
export type InstallEvent = z.infer<typeof installEventSchema>;

export const workflowResponseSchema = z
  .object({ workflow_id: z.string() })
  .openapi("WorkflowResponse");
