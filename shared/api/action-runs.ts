import { z } from "@hono/zod-openapi";
import { wholeActionRunSchema } from "./actions.ts";
import { wholeActionConfigSchema } from "./app-actions.ts";
import { configSchema as versionSchema } from "./app-configs.ts";
import { compositeStatusSchema } from "./composite-status.ts";
import { createRoute } from "./create-route.ts";
import { json } from "./response.ts";
import { truth } from "./truth.ts";

const tags = ["Read by runners"];

/** Ids of the control plane's own things, whatever they look like. */
const foreignId = (name: string, whose: string): z.ZodString =>
  z
    .string()
    .regex(/^[\w.:-]{1,200}$/, "Must be an id: letters, digits, _, -, . and :, at most 200.")
    .openapi({ param: { name, in: "path" }, description: `The id of ${whose}.` });

export const actionStepStatuses = [
  "finished",
  "pending",
  "in-progress",
  "timed-out",
  "error",
] as const;
export type ActionStepStatus = (typeof actionStepStatuses)[number];

const stepConfigSchema = z
  .object({
    id: z.string(),
    action_workflow_config_id: z.string(),
    name: z.string(),
    idx: z.int(),
    command: z.string(),
    inline_contents: z.string(),
    env_vars: z.record(z.string(), z.string()),
  })
  .openapi("ActionWorkflowStepConfig");
export type ActionStepConfig = z.infer<typeof stepConfigSchema>;

const stepSchema = z
  .object({
    id: z.string(),
    install_action_workflow_run_id: z.string(),
    step_id: z.string(),
    adhoc_config: stepConfigSchema,
    status: z.enum(actionStepStatuses),
    execution_duration: z.int().describe("Nanoseconds."),
  })
  .openapi("PlannedActionRunStep");
export type ActionRunStep = z.infer<typeof stepSchema>;

const runSchema = z
  .object({
    id: z.string(),
    org_id: z.string(),
    install_id: z.string(),
    install_action_workflow_id: z.string(),
    action_workflow_config_id: z.string(),
    status: z.enum(["finished", "in-progress", "error", "timed-out", "cancelled"]),
    status_description: z.string(),
    status_v2: compositeStatusSchema,
    timeout: z.int().describe("Nanoseconds."),
    run_env_vars: z.record(z.string(), z.string()),
    runner_job_id: z.string(),
    steps: z.array(stepSchema).describe("As many as in the plan, in the same order."),
  })
  .openapi("PlannedActionRun");
export type ActionRun = z.infer<typeof runSchema>;

const configSchema = z
  .object({
    id: z.string(),
    action_workflow_id: z.string().describe("Empty if the plan names none."),
    timeout: z.int(),
    steps: z.array(stepConfigSchema),
  })
  .openapi("PlannedActionConfig");
export type ActionConfig = z.infer<typeof configSchema>;

const appConfigSchema = z
  .object({
    id: z.string(),
    app_id: z.string(),
    org_id: z.string(),
    status: z.literal("active"),
    sandbox: z.object({
      app_id: z.string(),
      app_config_id: z.string(),
      terraform_version: z.string(),
      pulumi_version: z.string(),
    }),
    component_config_connections: z.array(
      z.object({
        app_config_id: z.string(),
        component_id: z.string(),
        component_name: z.string(),
        terraform_module: z.object({ version: z.string() }),
      }),
    ),
  })
  .openapi("PlannedAppConfig");
export type AppConfig = z.infer<typeof appConfigSchema>;

const derived =
  "For a runner it is derived from the plan of one of its jobs, while the job's execution is alive and for ten minutes after.";
const recorded = `${derived} All others get the record itself.`;

export const getAppConfigRoute = createRoute("getAppConfig", {
  get: "/v1/apps/{app_id}/config/{config_id}",
  rule: { surface: "runner", permission: "runner.execution", ownRunner: true, others: "apps.read" },
  tags,
  summary: "Read the app config that a job's plan names",
  description: `${recorded} Versions come from the job's metadata: terraform_version, pulumi_version.`,
  params: z.object({
    app_id: foreignId("app_id", "the app"),
    config_id: foreignId("config_id", "the config"),
  }),
  query: z.object({
    recurse: truth.optional().describe("With the whole document; runners always get the same."),
  }),
  responses: {
    200: json(
      z.union([appConfigSchema, versionSchema]),
      "The parts of the app config that a runner needs, or all of it.",
    ),
  },
});

export const getActionRunRoute = createRoute("getActionRun", {
  get: "/v1/installs/{install_id}/action-workflows/runs/{run_id}",
  rule: {
    surface: "runner",
    permission: "runner.execution",
    ownRunner: true,
    others: "installs.read",
  },
  tags,
  summary: "Read the run of an action",
  description: recorded,
  params: z.object({
    install_id: foreignId("install_id", "the install"),
    run_id: foreignId("run_id", "the run"),
  }),
  responses: { 200: json(z.union([runSchema, wholeActionRunSchema]), "The run.") },
});

export const getActionConfigRoute = createRoute("getActionConfig", {
  get: "/v1/action-workflows/configs/{config_id}",
  rule: { surface: "runner", permission: "runner.execution", ownRunner: true, others: "apps.read" },
  tags,
  summary: "Read the config of an action",
  description: `${recorded} The plan names it as \`action_workflow_config_id\`.`,
  params: z.object({ config_id: foreignId("config_id", "the config") }),
  responses: { 200: json(z.union([configSchema, wholeActionConfigSchema]), "The config.") },
});

export const updateActionRunStepRoute = createRoute("updateActionRunStep", {
  put: "/v1/installs/{install_id}/action-workflow-runs/{run_id}/steps/{step_id}",
  rule: { surface: "runner", permission: "runner.execution", ownRunner: true },
  tags,
  summary: "Report on a step of an action's run",
  description: derived,
  params: z.object({
    install_id: foreignId("install_id", "the install"),
    run_id: foreignId("run_id", "the run"),
    step_id: foreignId("step_id", "the step"),
  }),
  body: z.object({
    status: z.enum(actionStepStatuses),
    execution_duration: z.int().min(0).default(0).describe("Nanoseconds."),
  }),
  responses: { 200: json(stepSchema, "The step.") },
});

export const getSandboxConfigRoute = createRoute("getSandboxConfig", {
  get: "/v1/runners/{runner_id}/sandbox-config",
  rule: { surface: "runner", permission: "runners.read" },
  tags,
  summary: "Read a runner's own sandbox config",
  description: "There is none: sandbox mode is part of the settings and of plans.",
  params: z.object({ runner_id: foreignId("runner_id", "the runner") }),
  query: z.object({
    job_type: z.string().optional().describe("The type of a job. It changes nothing."),
    operation: z.string().optional().describe("The operation of a job. It changes nothing."),
  }),
  responses: { 404: { description: "There is none." } },
});
