import { z } from "@hono/zod-openapi";
import { statsSteps } from "../stats-steps.ts";
import { createRoute } from "./create-route.ts";
import { instantInput } from "./instant.ts";
import { json } from "./response.ts";

const instant = z.iso.datetime();
const counts = z.array(z.int().nullable());
const durations = z.array(z.int().nullable()).describe("Nanoseconds.");
const times = z.object({ p50: durations, p95: durations, max: durations });

const points = {
  from: instant,
  to: instant,
  step: z.int().describe("Nanoseconds from point to point."),
  at: z.array(instant).describe("When each point starts. All arrays have this length."),
};
const ended = "How many; null where no broker ran. Counted a minute or two later.";

const workflowStatsSchema = z
  .object({
    ...points,
    ended: z.object({ succeeded: counts, failed: counts, cancelled: counts }).describe(ended),
    duration: times.describe("From start to end, of the workflows that ended then."),
    types: z
      .array(z.object({ type: z.string(), ended: counts, p50: durations, p95: durations }))
      .describe("Of each type of workflow that was seen."),
  })
  .openapi("WorkflowStats");
export type WorkflowStats = z.infer<typeof workflowStatsSchema>;

const webhookStatsSchema = z
  .object({
    ...points,
    calls: z.object({ delivered: counts, failed: counts }).describe(ended),
    duration: times.describe("From the call to its answer, of all webhooks."),
  })
  .openapi("WebhookStats");
export type WebhookStats = z.infer<typeof webhookStatsSchema>;

const range = {
  from: instantInput.optional().describe("Default: a day before `to`."),
  to: instantInput.optional().describe("Default: now."),
  step: z
    .enum(statsSteps)
    .optional()
    .describe("From point to point. Default: the shortest that gives 300 points at most."),
};

export const getWorkflowStatsRoute = createRoute("getWorkflowStats", {
  get: "/v1/stats/workflows",
  rule: { surface: "control-plane", permission: "workflows.read" },
  tags: ["Stats"],
  summary: "Read how workflows ended and how long they took, over time",
  description: "At most 500 points, kept as the figures of jobs are.",
  query: z.object(range),
  responses: { 200: json(workflowStatsSchema, "The points.") },
});

export const getWebhookStatsRoute = createRoute("getWebhookStats", {
  get: "/v1/stats/webhooks",
  rule: { surface: "control-plane", permission: "webhooks.read" },
  tags: ["Stats"],
  summary: "Read how calls to webhooks ended and how long they took, over time",
  description: "At most 500 points, kept as the figures of jobs are.",
  query: z.object(range),
  responses: { 200: json(webhookStatsSchema, "The points.") },
});
