import { z } from "@hono/zod-openapi";
import { mostEntries } from "../most-entries.ts";
import { idParam } from "./id-param.ts";
import {
  componentTogglesInput,
  installConfigInput,
  installConfigSchema,
} from "./install-config.ts";
import { labelsInput, labelTemplatesInput } from "./labels-input.ts";

const texts = z.record(z.string(), z.string());
const mostMetadata = 100;
const mostInputs = 500;

export const installParams = z.object({ install_id: idParam("install_id", "ins") });

const metadataInput = z
  .record(z.string().min(1).max(256), z.string().max(4096))
  .check(mostEntries(mostMetadata, `At most ${mostMetadata} entries are allowed.`))
  .describe("Your own words of it; `managed_by` says what keeps it, such as terraform.");
const installName = z
  .string()
  .regex(/^[^\p{C}]{1,63}$/u, "Must be 1 to 63 printable characters.")
  .refine((name) => name.trim() === name, { error: "Must not begin or end with a space." })
  .describe("Unique in the app.");
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

const newInstallMembers = {
  name: installName,
  aws_account: z.strictObject({ region }).optional(),
  azure_account: z.strictObject({ location: region }).optional(),
  gcp_account: z
    .strictObject({ project_id: z.string().min(1).max(64), region })
    .optional()
    .describe("At most one of the three accounts, that of the app's cloud."),
  expected_account_id: z
    .string()
    .regex(/^[0-9]{12}$/, "Must be an AWS account's twelve digits.")
    .optional(),
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
  start: z.boolean().default(true).describe("false: it is not provisioned until somebody asks."),
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

export const lifecyclePhaseSchema = z.enum([
  "created",
  "awaiting-stack",
  "provisioning",
  "active",
  "updating",
  "degraded",
  "deprovisioning",
  "deprovisioned",
  "error",
]);

export const installSchema = z
  .object({
    id: z.string(),
    org_id: z.string(),
    app_id: z.string(),
    name: z.string(),
    install_number: z.int(),
    app_config_id: z.string().nullable().describe("The config that it has."),
    app_config_ref: z.object({
      expected_config_id: z.string().nullable().describe("The app's active one."),
      applied_config_id: z.string().nullable().describe("That of the last change that succeeded."),
    }),
    labels: texts,
    app_default_labels: texts.describe("The app's; their keys are locked."),
    label_templates: texts.describe("Their keys are locked, too."),
    metadata: texts,
    install_config: installConfigSchema.describe("The one in force."),
    lifecycle_phase: z.object({
      phase: lifecyclePhaseSchema,
      since: z.iso.datetime(),
      workflow_id: z.string().nullable(),
    }),
    composite_health_status: z
      .enum(["healthy", "degraded", ""])
      .describe("The worst of its health checks; empty while none has said anything."),
    composite_health_status_description: z.string(),
    health_checks: z
      .array(
        z.object({
          action: z.string(),
          status: z.enum(["healthy", "degraded"]),
          run_id: z.string(),
          at: z.iso.datetime(),
          detail: z.string(),
        }),
      )
      .describe("What the last run of each action with `is_healthcheck` said."),
    cloud_platform: z.enum(["aws", "azure", "gcp", "unknown"]),
    aws_account: texts.optional(),
    azure_account: texts.optional(),
    gcp_account: texts.optional(),
    expected_account_id: z.string().optional(),
    expected_subscription_id: z.string().optional(),
    expected_project_id: z.string().optional(),
    cloud_platform_metadata: z
      .object({
        expected: z.string().nullable().describe("The account, subscription or project."),
        observed: z.string().nullable().describe("null: nobody has said it yet."),
        match: z.boolean().nullable(),
      })
      .describe("Whose account it is meant to be in, and is in."),
    sandbox_mode: z.boolean().nullable(),
    runner_id: z.string(),
    runner_group_id: z.string(),
    runner_status: z.string(),
    runner_status_description: z.string(),
    queues: z.array(z.object({ id: z.string(), name: z.string() })).describe("Its lanes."),
    workflow_id: z.string().optional().describe("Of what this request began."),
    created_by_id: z.string(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .openapi("Install");
export type Install = z.infer<typeof installSchema>;

export const installInputsSchema = z
  .object({
    id: z.string(),
    org_id: z.string(),
    install_id: z.string(),
    version: z.int(),
    app_config_id: z.string(),
    values: z
      .record(z.string(), z.unknown())
      .describe("Of inputs that are not sensitive; the others are hidden."),
    redacted_values: z
      .record(z.string(), z.unknown())
      .describe("Equal to `values`: both are masked."),
    workflow_id: z.string().optional().describe("Of the update that this request began."),
    created_by_id: z.string(),
    created_at: z.iso.datetime(),
  })
  .openapi("InstallInputs");
export type ShownInputs = z.infer<typeof installInputsSchema>;

export const installStateSchema = z
  .object({
    id: z.string(),
    install_id: z.string(),
    version: z.int(),
    checksum: z
      .string()
      .describe(
        "Equal for equal states of an install while the same key seals; without seal keys each version has another. It tells nothing of what is in them.",
      ),
    triggered_by_id: z.string(),
    triggered_by_type: z.string(),
    created_at: z.iso.datetime(),
  })
  .openapi("InstallState");
export type InstallState = z.infer<typeof installStateSchema>;

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
