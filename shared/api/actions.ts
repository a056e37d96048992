import { z } from "@hono/zod-openapi";
import { actionRunStatuses } from "../action-run-statuses.ts";
import { secondNs } from "../duration.ts";
import { mostEntries } from "../most-entries.ts";
import { created, is } from "../resources/filters.ts";
import { instant, int, json as stored, orNull, owned, text, word } from "../resources/members.ts";
import { type ItemOf, resource } from "../resources/resource.ts";
import { compositeFaultSchema } from "./composite-fault.ts";
import { compositeStatusSchema } from "./composite-status.ts";
import { createRoute } from "./create-route.ts";
import { durationInput } from "./duration.ts";
import { partQuery } from "./listing.ts";
import { activeStatus } from "./named-part-members.ts";
import { json } from "./response.ts";
import { truth } from "./truth.ts";

const tags = ["Actions"];
const reading = { surface: "control-plane", permission: "installs.read" } as const;
const operating = { surface: "control-plane", permission: "installs.operate" } as const;

/** Seconds as a number, which could be no nanoseconds. */
const adhocTimeout = z
  .preprocess(
    (given) => (typeof given === "number" && given > 0 && given <= 3600 ? `${given}s` : given),
    durationInput({ minNs: secondNs, maxNs: 3600 * secondNs }),
  )
  .openapi({
    type: "integer",
    description: "Seconds, at most 3,600; larger numbers are nanoseconds; or text like `15m`.",
  });

const variables = z
  .record(
    z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]{0,254}$/, "Must be a name of an environment variable."),
    z.string().max(65_536),
  )
  .check(mostEntries(100, "At most 100 are allowed."));

export const actionSchema = z
  .object({
    id: z.string(),
    app_id: z.string(),
    name: z.string(),
    ...activeStatus,
    labels: z.record(z.string(), z.string()).describe("Its own, and those of the active config."),
    config_count: z.int().describe("Number of configs that have or had it."),
    config_id: z
      .string()
      .nullable()
      .describe("Of the app's active config; null if it no longer has the action."),
    app_config_id: z.string().nullable(),
    config: z.record(z.string(), z.unknown()).nullable(),
    created_at: z.iso.datetime(),
  })
  .openapi("ActionWorkflow");
export type ShownAction = z.infer<typeof actionSchema>;

export const actionRunStepSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    idx: z.int(),
    status: z.enum(["finished", "pending", "in-progress", "timed-out", "error"]),
    execution_duration: z.int().describe("Nanoseconds."),
  })
  .openapi("InstallActionWorkflowRunStep");

export const actionRuns = resource({
  noun: "run",
  plural: "runs",
  schema: "InstallActionWorkflowRun",
  tag: "Actions",
  prefix: "awr",
  param: "run_id",
  path: "/v1/installs/{install_id}/actions/runs",
  under: ["install"],
  surface: "control-plane",
  read: "installs.read",
  opens: ["list"],
  bound: "path",
  says: { list: "List runs of actions in an install" },
  members: {
    ...owned,
    install_id: text(),
    action_workflow_id: orNull(text(), "null: an ad hoc run."),
    action_workflow_config_id: orNull(text()),
    name: text(),
    workflow_id: text(),
    install_workflow_id: text("The same as `workflow_id`."),
    workflow_step_id: orNull(text()),
    runner_job_id: orNull(text()),
    trigger_type: text(),
    triggered_by_id: text(),
    status: word(actionRunStatuses),
    status_description: text(),
    status_v2: stored(compositeStatusSchema),
    role: text(),
    timeout: int("Nanoseconds."),
    execution_time: int("Nanoseconds."),
    composite_error: stored(compositeFaultSchema.optional()),
    created_by_id: text(),
    created_at: instant(),
    started_at: orNull(instant()),
    finished_at: orNull(instant()),
  },
  filters: {
    ...created,
    name: is("name", z.string().max(63).optional().describe("Of which action.")),
  },
});
export type ShownActionRun = ItemOf<typeof actionRuns>;
export const wholeActionRunSchema = z
  .object({
    ...actionRuns.itemSchema.shape,
    log_stream_id: z.string().nullable(),
    outputs: z.record(z.string(), z.unknown()),
    steps: z.array(actionRunStepSchema),
  })
  .openapi("WholeInstallActionWorkflowRun");
export type WholeActionRun = z.infer<typeof wholeActionRunSchema>;

const began = z
  .object({ id: z.string().describe("The run."), workflow_id: z.string() })
  .openapi("NewActionRunAnswer");

export const listInstallActionsRoute = createRoute("listInstallActions", {
  get: "/v1/installs/{install_id}/actions",
  rule: reading,
  tags,
  summary: "List what actions an install can run",
  description: "Those of the app's active config and of the install's own.",
  query: z.object({
    ...partQuery,
    synced: truth.optional().describe("Whether the app's active config has them."),
  }),
  responses: { 200: json(z.array(actionSchema), "Actions.") },
});

export const createActionRunRoute = createRoute("createActionRun", {
  post: actionRuns.path,
  rule: { ...operating, idempotent: "replay" },
  tags,
  summary: "Run an action in an install",
  description:
    "Name the action by `action_workflow_config_id`, of the app's active config or the install's, or by `name`. 422 for any other. The run waits in the lane `actions`.",
  body: z
    .strictObject({
      action_workflow_config_id: z.string().max(64).optional(),
      name: z.string().max(63).optional(),
      run_env_vars: variables.default({}).describe("Variables of this run; kept sealed."),
      role: z.string().max(255).default(""),
    })
    .openapi("NewActionRun", { example: { name: "greet" } }),
  responses: { 201: json(began, "The run.") },
});

export const createAdhocRunRoute = createRoute("createAdhocRun", {
  post: "/v1/installs/{install_id}/actions/adhoc-run",
  rule: { ...operating, idempotent: "replay" },
  tags,
  summary: "Run a command or a script in an install",
  body: z
    .strictObject({
      name: z.string().min(1).max(63).default("adhoc"),
      command: z.string().min(1).max(65_536).optional(),
      inline_contents: z.string().min(1).max(1_048_576).optional(),
      env_vars: variables.default({}),
      timeout: adhocTimeout.optional(),
      role: z.string().max(255).default(""),
      enable_kube_config: z
        .boolean()
        .nullish()
        .describe("It gets a kubeconfig of the install's cluster."),
      approval: z.boolean().default(false).describe("A person must approve it first."),
    })
    .refine(
      ({ command, inline_contents: contents }) =>
        (command === undefined) !== (contents === undefined),
      {
        path: ["command"],
        error: "Give either a command or inline_contents.",
      },
    )
    .openapi("NewAdhocRun", { example: { command: "uname -a" } }),
  responses: {
    201: json(
      began
        .extend({
          install_id: z.string(),
          status: z.enum(actionRunStatuses),
          status_description: z.string(),
          trigger_type: z.string(),
        })
        .openapi("NewAdhocRunAnswer"),
      "The run, as it begins.",
    ),
  },
});

export const getInstallActionRunRoute = createRoute("getInstallActionRun", {
  get: `${actionRuns.path}/{run_id}`,
  rule: reading,
  tags,
  summary: "Read a run of an action, with its outputs",
  responses: { 200: json(wholeActionRunSchema, "The run.") },
});
