import { z } from "@hono/zod-openapi";
import { shutdownStatuses } from "../runner-process.ts";
import { compositeStatusSchema } from "./composite-status.ts";
import { createRoute } from "./create-route.ts";
import { durationInput } from "./duration.ts";
import { json } from "./response.ts";
import { inTwoShapes, twoShapesText } from "./two-shapes.ts";

const tags = ["Processes"];
const runnerPath = "/v1/runners/{runner_id}";
const path = `${runnerPath}/processes/{process_id}`;
const instant = z.iso.datetime();

export const shutdownTypes = ["graceful", "force", "restart"] as const;
export type ShutdownType = (typeof shutdownTypes)[number];

export const processShutdownSchema = z
  .object({
    id: z.string(),
    org_id: z.string(),
    runner_process_id: z.string(),
    type: z.enum(shutdownTypes),
    status: z.enum(shutdownStatuses),
    status_description: z.string(),
    composite_status: compositeStatusSchema,
    reason: z.string().describe("Why, in the operator's words."),
    metadata: z
      .record(z.string(), z.string())
      .describe(
        "`running_jobs`: how many jobs the process ran when it was ordered; `deadline`: until when they could finish.",
      ),
    jobs: z
      .object({
        running: z.int().describe("They still run."),
        finished: z.int(),
        stopped: z.int().describe("They failed because this order, or a later one, stopped them."),
        failed: z
          .int()
          .describe("They failed or timed out by themselves, or their process was lost."),
        cancelled: z.int(),
        not_attempted: z.int().describe("They were given back."),
      })
      .describe(
        "What became of the jobs that the process ran when it was ordered, while their records are kept.",
      ),
    deadline_at: instant
      .nullable()
      .describe("When executions that still run are killed; null once the shutdown is over."),
    created_at: instant,
    updated_at: instant,
    created_by_id: z.string(),
  })
  .openapi("RunnerProcessShutdown");
export type ProcessShutdown = z.infer<typeof processShutdownSchema>;

/** What anybody may see of a shutdown who knows the process's unguessable id. */
const briefShutdownSchema = processShutdownSchema
  .pick({ id: true, type: true, status: true })
  .openapi("BriefProcessShutdown");

const deadline = durationInput({ minNs: 1e9, maxNs: 24 * 3600e9 })
  .optional()
  .describe(
    "How long running executions may continue before they are killed. Default: 30 minutes.",
  );

/** Why an order is given: shown with its record. */
export const orderReason = z.string().trim().max(1000).default("");

const orderBody = z.strictObject({ deadline, reason: orderReason });
const forceBody = z.strictObject({ reason: orderReason });
const records = z.array(processShutdownSchema);
const many = json(records, "One record for each process that is ordered.");
const manyInTwoShapes = json(
  inTwoShapes(records, z.object({ shutdowns: records })),
  "One record for each process that is ordered, as a list or as `shutdowns`.",
);
const spared = "Not a process that manages the host (`mng`): that one is ordered by its own id.";
const asked =
  "svc-agent receives the order within a second; another runner finds it when it lists its shutdowns. " +
  "A later order replaces an open one, but nothing replaces force.";

export const listShutdownsRoute = createRoute("listShutdowns", {
  get: `${path}/shutdowns`,
  rule: { surface: "open", permission: null, unmetered: true, runnersRead: true },
  tags,
  summary: "List the requested shutdowns of a process",
  description:
    "Needs no token: a process id is a secret of its own. A runner acts on status `requested`.",
  responses: { 200: json(z.array(briefShutdownSchema), "Oldest first; usually none.") },
});

export const completeShutdownRoute = createRoute("completeShutdown", {
  post: `${path}/shutdowns/{shutdown_id}/complete`,
  rule: { surface: "runner", permission: "runner.protocol" },
  tags,
  summary: "Report that a shutdown is done",
  description:
    "A shutdown that has ended does not change. The process of a third-party runner counts as shut down after this.",
  responses: { 200: json(processShutdownSchema, "The record.") },
});

export const gracefulShutdownRoute = createRoute("gracefulShutdown", {
  post: `${runnerPath}/graceful-shutdown`,
  rule: { surface: "operator", permission: "runners.operate", operatesRunner: true },
  tags,
  summary: "Shut down all processes of a runner after their running jobs",
  description: `${spared} ${asked} ${twoShapesText}`,
  body: orderBody,
  responses: { 200: manyInTwoShapes },
});

export const restartRunnerRoute = createRoute("restartRunner", {
  post: `${runnerPath}/restart`,
  rule: { surface: "operator", permission: "runners.operate", operatesRunner: true },
  tags,
  summary: "Restart all processes of a runner after their running jobs",
  description: `${spared} ${asked}`,
  body: orderBody,
  responses: { 201: many },
});

export const forceShutdownRoute = createRoute("forceShutdown", {
  post: `${runnerPath}/force-shutdown`,
  rule: { surface: "operator", permission: "runners.operate", operatesRunner: true },
  tags,
  summary: "Stop all processes of a runner now",
  description: `What they run fails and is never retried; after ten seconds the broker ends it itself. ${spared} ${asked} ${twoShapesText}`,
  body: forceBody,
  responses: { 200: manyInTwoShapes },
});

export const shutDownProcessRoute = createRoute("shutDownProcess", {
  post: `${path}/shutdown`,
  rule: { surface: "operator", permission: "runners.operate", operatesRunner: true },
  tags,
  summary: "Ask one process to shut down or restart",
  description: asked,
  body: z.strictObject({
    shutdown_type: z.enum(shutdownTypes).default("graceful"),
    deadline,
    reason: orderReason,
  }),
  responses: { 201: json(processShutdownSchema, "The record.") },
});
