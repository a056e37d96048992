import { z } from "@hono/zod-openapi";
import { mostEntries } from "../most-entries.ts";
import { runnerJobGroups } from "../runner-job-types.ts";
import { runnerPlatforms } from "../runner-platforms.ts";
import { createRoute } from "./create-route.ts";
import { durationInput, secondsInput } from "./duration.ts";
import { json } from "./response.ts";

export const loggingLevels = ["DEBUG", "INFO", "WARN", "ERROR"] as const;
export const awsAuthMethods = ["", "iid", "sts"] as const;

const yearS = 366 * 86_400;
const text = z.string().max(2048);
const textMap = z
  .record(z.string().min(1).max(256), z.string().max(4096))
  .check(mostEntries(100, "At most 100 entries are allowed."));
const url = text.refine((given) => given === "" || isUrl(given), {
  params: { code: "invalid_url" },
  message: "Send an http or https URL, or leave it empty.",
});

/** What the broker only stores and hands to runners; each is kept when a change does not name it. */
const documentInput = {
  container_image_url: text,
  container_image_tag: text,
  container_image_signature_issuer: text,
  container_image_signature_identity_regexp: text,
  container_max_uptime: secondsInput(yearS),
  vm_max_uptime: secondsInput(yearS),
  aws_max_instance_lifetime: secondsInput(yearS),
  aws_instance_type: text,
  aws_auth_method: z.enum(awsAuthMethods),
  aws_cloudformation_stack_type: text,
  aws_tags: textMap,
  binary_version: text,
  runner_binary_url: url,
  runner_api_url: url,
  org_aws_iam_role_arn: text,
  org_azure_client_id: text,
  org_gcp_service_account: text,
  org_k8s_service_account_name: text,
  local_aws_iam_role_arn: text,
  enable_logging: z.boolean(),
  enable_metrics: z.boolean(),
  enable_sentry: z.boolean(),
  logging_level: z.enum(loggingLevels),
  metadata: textMap,
  otel_collector_config: z.string().max(65_536),
  telemetry_relay_endpoint: text,
  vendor_telemetry_enabled: z.boolean(),
  vendor_telemetry_resource_attributes: textMap,
} as const;

const settingsDocumentSchema = z.strictObject(documentInput);
/** The members of settings that the broker only stores and hands on. */
export type RunnerSettingsDocument = z.infer<typeof settingsDocumentSchema>;

const groupWords = [...runnerJobGroups, "deploys"] as const;

const groupsInput = z
  .array(z.enum(groupWords))
  .refine((given) => new Set(given.map(jobGroupOf)).size === given.length, {
    params: { code: "duplicate_group" },
    message: "A group is listed twice. `deploys` is the same as `deploy`.",
  });

const parallelismInput = z.partialRecord(
  z.enum(runnerJobGroups),
  z
    .union([z.string(), z.int()])
    .transform(String)
    .refine((given) => /^(0|[1-9]\d{0,3})$/.test(given) && Number(given) <= 1000, {
      params: { code: "invalid_parallelism" },
      message: 'Give an integer, also as text: "0" to "1000".',
    }),
);

/** Changes of settings: what is given replaces what was, whole lists and maps too; the rest stays. */
export const runnerSettingsChangesSchema = z
  .strictObject({
    ...documentInput,
    org_awsiam_role_arn: text.describe("Another name of `org_aws_iam_role_arn`."),
    groups: groupsInput,
    job_group_parallelism: parallelismInput,
    job_group_max_depth: z.int().min(1).max(10_000_000),
    heart_beat_timeout: durationInput({ minNs: 1e9, maxNs: 30e9 }),
    sandbox_mode: z.boolean(),
  })
  .partial()
  .openapi("RunnerGroupSettingsChanges", {
    example: { job_group_parallelism: { deploy: "3" }, logging_level: "DEBUG" },
  });
export type RunnerSettingsChanges = z.infer<typeof runnerSettingsChangesSchema>;

const map = z.record(z.string(), z.string());
const seconds = z.int().describe("Seconds; 0 means no limit.");

/** How the runners of a group are to work; a runner reads it when its version changed. */
export const runnerSettingsSchema = z
  .object({
    ...settingsDocumentSchema.shape,
    id: z.string(),
    org_id: z.string(),
    runner_group_id: z.string(),
    version: z.int().describe("Increases with every change. It is also the ETag."),
    platform: z.enum(runnerPlatforms).describe("The group's."),
    groups: z.array(z.string()).describe("The job groups a runner polls."),
    job_group_parallelism: map.describe("How many jobs of a group may run at once. Default: 1."),
    job_group_max_depth: z
      .int()
      .describe("An enqueue is refused when this many jobs of a group wait."),
    heart_beat_timeout: z.int().positive().describe("Nanoseconds between two heartbeats."),
    sandbox_mode: z.boolean(),
    container_image_verification_mode: z
      .enum(["none", "keyless"])
      .describe("`keyless` when an issuer and an identity are given."),
    container_max_uptime: seconds,
    vm_max_uptime: seconds,
    aws_max_instance_lifetime: seconds.openapi({ deprecated: true }),
    aws_tags: map,
    long_poll_jobs: z.literal(true),
    metadata: map,
    vendor_telemetry_resource_attributes: map,
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    created_by_id: z.string(),
  })
  .openapi("RunnerGroupSettings");
export type RunnerSettings = z.infer<typeof runnerSettingsSchema>;

const groupsPath = "/v1/runner-groups/{runner_group_id}/settings";
const runnersPath = "/v1/runners/{runner_id}/settings";
const reading = {
  200: json(runnerSettingsSchema, "The settings."),
  304: { description: "The settings have not changed since the version in If-None-Match." },
};
const changing =
  "With `If-Match`, only while the settings are of that version. Every runner of the group is notified at once, and jobs that now fit are released; if fewer fit than before, running jobs continue.";

export const getRunnerGroupSettingsRoute = createRoute("getRunnerGroupSettings", {
  get: groupsPath,
  rule: { surface: "operator", permission: "runners.read" },
  tags: ["Runner groups"],
  summary: "Read a group's settings",
  responses: reading,
});

export const updateRunnerGroupSettingsRoute = createRoute("updateRunnerGroupSettings", {
  patch: groupsPath,
  rule: { surface: "operator", permission: "runners.write", operatesRunner: true, ifMatch: true },
  tags: ["Runner groups"],
  summary: "Change a group's settings",
  description: changing,
  body: runnerSettingsChangesSchema,
  responses: { 200: json(runnerSettingsSchema, "The new settings.") },
});

export const getRunnerSettingsRoute = createRoute("getRunnerSettings", {
  get: runnersPath,
  rule: { surface: "runner", permission: "runners.read" },
  tags: ["Runners"],
  summary: "Read the settings that a runner uses",
  description: "They belong to its group.",
  responses: reading,
});

export const updateRunnerSettingsRoute = createRoute("updateRunnerSettings", {
  patch: runnersPath,
  rule: { surface: "operator", permission: "runners.write", operatesRunner: true, ifMatch: true },
  tags: ["Runners"],
  summary: "Change the settings that a runner uses",
  description: `They belong to its group and change for the whole group. ${changing}`,
  body: runnerSettingsChangesSchema,
  responses: { 200: json(runnerSettingsSchema, "The new settings.") },
});

/** The group a word of `groups` means. */
export function jobGroupOf(word: string): string {
  return word === "deploys" ? "deploy" : word;
}

function isUrl(given: string): boolean {
  return URL.canParse(given) && /^https?:$/.test(new URL(given).protocol);
}
