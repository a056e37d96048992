import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import { cutText } from "./cut-text.ts";
import { digits } from "./digits.ts";
import { durationInput } from "./duration.ts";
import { json } from "./response.ts";
import { runnerStatuses } from "./runner.ts";

const tags = ["Processes"];
const instant = z.iso.datetime();

export const healthCheckSchema = z
  .object({
    id: z.string(),
    runner_id: z.string(),
    process: z.string(),
    process_id: z.string(),
    minute_bucket: instant,
    status: z.enum(runnerStatuses),
    status_code: z.int(),
    runner_job: z.null(),
    created_at: instant,
  })
  .openapi("RunnerHealthCheck");
export type HealthCheck = z.infer<typeof healthCheckSchema>;

const healthCheckBody = z
  .object({
    process: cutText(200).default(""),
    process_id: z.string().max(64).default(""),
    status: z
      .enum(runnerStatuses)
      .optional()
      .describe("Default: `active`, or `error` if there is a status code."),
    status_code: z.int().min(-2_147_483_648).max(2_147_483_647).default(0),
  })
  .openapi("NewRunnerHealthCheck");
export type NewHealthCheck = z.infer<typeof healthCheckBody>;

export const createHealthCheckRoute = createRoute("createHealthCheck", {
  post: "/v1/runners/{runner_id}/health-checks",
  rule: { surface: "runner", permission: "runner.protocol" },
  tags,
  summary: "Report a health check",
  description: "One is kept per process and minute; a later one replaces an earlier one.",
  body: healthCheckBody,
  responses: { 201: json(healthCheckSchema, "The health check.") },
});

export const listRecentHealthChecksRoute = createRoute("listRecentHealthChecks", {
  get: "/v1/runners/{runner_id}/recent-health-checks",
  rule: { surface: "operator", permission: "runners.read" },
  tags,
  summary: "List recent health checks",
  description: "The last one of each minute and process.",
  query: z.object({
    window: durationInput({ minNs: 60e9, maxNs: 30 * 86_400e9 }).default(3600e9),
    process_id: z.string().max(64).optional().describe("Only checks of this process."),
    limit: digits(1, 1440).default(60).describe("How many checks, at most."),
    offset: digits(0, 100_000).default(0).describe("How many to leave out first."),
  }),
  responses: { 200: json(z.array(healthCheckSchema), "The newest first.") },
});
