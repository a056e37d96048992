import { z } from "@hono/zod-openapi";
import { runnerProcessTypes } from "../process-groups.ts";
import { runnerJobGroups } from "../runner-job-types.ts";
import { departingStatuses, processStatuses } from "../runner-process.ts";
import { compositeStatusSchema } from "./composite-status.ts";
import { createRoute } from "./create-route.ts";
import { cutText } from "./cut-text.ts";
import { pageOrArrayOf, pageQuery } from "./page.ts";
import { processOrderSchema } from "./process-order.ts";
import { json } from "./response.ts";
import { processShutdownSchema } from "./runner-process-shutdown.ts";

/** Longer ones are cut: a process must be able to say that it ends. */
const mostDescription = 2_000;

const tags = ["Processes"];
const path = "/v1/runners/{runner_id}/processes";
const instant = z.iso.datetime();

/** Shows that a request comes from the process that holds what it asks for. */
export const processSecretHeader = "svc-process-secret";

const slots = z.partialRecord(z.enum(runnerJobGroups), z.int().min(0).max(1000));

export const runnerProcessSchema = z
  .object({
    id: z.string(),
    org_id: z.string(),
    runner_id: z.string(),
    type: z.enum(runnerProcessTypes),
    version: z.string(),
    groups: slots
      .nullable()
      .describe("The groups it serves and their slots; null: as its settings say."),
    started_at: instant,
    last_seen_at: instant.describe("When it last registered, sent a heartbeat or polled for jobs."),
    uptime: z.number().describe("How long it is or was alive, in nanoseconds."),
    initial_health_check: z.boolean().describe("Whether it was heard from since it registered."),
    restart_requested: z.boolean(),
    composite_status: compositeStatusSchema,
    log_stream_id: z.string(),
    labels: z.array(z.string()),
    warnings: z.array(z.string()),
    next_scheduled_restart_at: instant
      .nullable()
      .describe("As reported by its agent: it restarts then, or when its running jobs have ended."),
    previous_scheduled_restart_at: instant
      .nullable()
      .describe("As reported by its agent: when it was last restarted on schedule."),
    shutdowns: z.array(processShutdownSchema).describe("Newest first, ten at most."),
    created_at: instant,
    updated_at: instant,
  })
  .openapi("RunnerProcess");
export type RunnerProcess = z.infer<typeof runnerProcessSchema>;

const registeredSchema = runnerProcessSchema
  .extend({
    secret: z
      .string()
      .optional()
      .describe(
        "svc-agent only, shown once: with this secret a later process can take over this one.",
      ),
    orders: z
      .array(processOrderSchema)
      .optional()
      .describe("svc-agent only: orders to stop those of the named executions that have ended."),
  })
  .openapi("RegisteredRunnerProcess");
export type RegisteredProcess = z.infer<typeof registeredSchema>;

const registerBody = z
  .object({
    type: z.enum(runnerProcessTypes).default(""),
    version: cutText(200).default(""),
    groups: slots.optional().describe("svc-agent only: the groups it serves and their slots."),
    takes_over: z
      .string()
      .max(64)
      .optional()
      .describe(
        "svc-agent only: the process that ran on this host before. This process takes over its executions.",
      ),
    secret: z.string().max(200).optional().describe("The secret that the old process was given."),
    executions: z
      .array(z.string().max(64))
      .max(1000)
      .optional()
      .describe(
        "Agents of ours: the executions that their host holds. Executions taken over that are not named here, or have not started, are returned at once.",
      ),
    binds_plans: z
      .boolean()
      .optional()
      .describe(
        "svc-agent only: plans of the jobs it runs can only be read with its secret in the header Svc-Process-Secret, not with the runner token alone.",
      ),
    reads_plans: z
      .int()
      .min(1)
      .max(1_000_000)
      .optional()
      .describe(
        "svc-agent only: how new the plans are that it reads. Builds that need newer ones end as runner_outdated in place of a job for it.",
      ),
  })
  .openapi("NewRunnerProcess", { example: { type: "install", version: "1.4.0" } });
export type NewProcess = z.infer<typeof registerBody>;

const restartInstant = z.union([z.literal(""), instant]).optional();

const updateBody = z
  .object({
    status: z.enum(departingStatuses).optional(),
    status_description: cutText(mostDescription).default(""),
    takes_no_jobs: cutText(mostDescription)
      .optional()
      .describe("svc-agent only: why it accepts no jobs at present. Empty: it accepts jobs again."),
    next_scheduled_restart_at: restartInstant.describe(
      "svc-agent only: when it restarts on schedule. Empty: never.",
    ),
    previous_scheduled_restart_at: restartInstant.describe(
      "svc-agent only, with the next: when it was last restarted on schedule. Empty or absent: never.",
    ),
  })
  .refine((told) => told.status !== undefined || isSaid(told), {
    path: ["status"],
    message: `Send a status: one of ${departingStatuses.join(", ")}.`,
  });

function isSaid(told: {
  readonly takes_no_jobs?: string | undefined;
  readonly next_scheduled_restart_at?: string | undefined;
}): boolean {
  return told.takes_no_jobs !== undefined || told.next_scheduled_restart_at !== undefined;
}

const one = json(runnerProcessSchema, "The process.");

export const registerProcessRoute = createRoute("registerProcess", {
  post: path,
  rule: { surface: "runner", permission: "runner.protocol" },
  tags,
  summary: "Register a process",
  description:
    "Each start of an agent is a new process. It stays alive as long as it sends heartbeats.",
  body: registerBody,
  responses: { 201: json(registeredSchema, "The process.") },
});

export const listProcessesRoute = createRoute("listProcesses", {
  get: path,
  rule: { surface: "operator", permission: "runners.read" },
  tags,
  summary: "List processes",
  query: z.object({
    ...pageQuery,
    type: z.enum(runnerProcessTypes).optional().describe("Only processes of this type."),
    status: z.enum(processStatuses).optional().describe("Only those in this status."),
    alive: z
      .enum(["true", "false"])
      .optional()
      .describe("Those that can still be told to shut down, or those that ended."),
  }),
  responses: {
    200: json(pageOrArrayOf(runnerProcessSchema), "A page of processes, the newest first."),
  },
});

export const listCurrentProcessesRoute = createRoute("listCurrentProcesses", {
  get: `${path}/current`,
  rule: { surface: "operator", permission: "runners.read" },
  tags,
  summary: "List the processes of a runner that are alive",
  description: "The newest first, a hundred at most.",
  responses: { 200: json(z.array(runnerProcessSchema), "Processes.") },
});

export const getProcessRoute = createRoute("getProcess", {
  get: `${path}/{process_id}`,
  rule: { surface: "runner", permission: "runners.read" },
  tags,
  summary: "Read a process",
  responses: { 200: one },
});

export const updateProcessRoute = createRoute("updateProcess", {
  patch: `${path}/{process_id}`,
  rule: { surface: "runner", permission: "runner.protocol" },
  tags,
  summary: "Report that a process shuts down, or why it accepts no jobs",
  description:
    "From `pending-shutdown` on it gets no new jobs. `shut-down` is final and ends everything it still ran. " +
    "`takes_no_jobs` is shown among its warnings, and to whoever asks why a job waits.",
  body: updateBody,
  responses: { 200: one },
});

export const announceTerminationRoute = createRoute("announceTermination", {
  post: `${path}/{process_id}/terminating`,
  rule: { surface: "runner", permission: "runner.protocol" },
  tags,
  summary: "Report that the host of a process will be terminated",
  description: "The process gets no new jobs. Running jobs continue as long as they can.",
  responses: { 202: { description: "The request was accepted." } },
});
