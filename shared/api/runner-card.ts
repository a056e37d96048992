import { z } from "@hono/zod-openapi";
import { runnerProcessTypes } from "../process-groups.ts";
import { createRoute } from "./create-route.ts";
import { healthCheckSchema } from "./health-check.ts";
import { latestHeartBeatSchema } from "./heart-beat.ts";
import { json } from "./response.ts";
import { runnerSchema, runnerStatuses } from "./runner.ts";

const tags = ["Runners"];

const members = {
  runner_id: z.string(),
  connected: z.boolean().describe("Whether a process sent a heartbeat within the last minute."),
  live_processes: z.int(),
  latest_heart_beat_at: z.iso.datetime().nullable().describe("null: it never had one."),
  latest_heartbeat_timestamp: z
    .int()
    .describe("The same in seconds since 1970; 0: it never had one."),
};

const connectionSchema = z.object(members).openapi("RunnerConnectionStatus");
export type RunnerConnection = z.infer<typeof connectionSchema>;

const cardSchema = z
  .object({
    ...members,
    name: z.string(),
    display_name: z.string(),
    status: z.enum(runnerStatuses),
    status_description: z.string(),
    warnings: z.array(z.string()),
    paused: z.boolean(),
    waiting_jobs: z.int(),
    running_jobs: z.int(),
    latest_heart_beats: z
      .partialRecord(z.enum(runnerProcessTypes), latestHeartBeatSchema)
      .describe("By type of process."),
    latest_heart_beat: latestHeartBeatSchema
      .optional()
      .describe("The newest of them; left out where there is none."),
    runner: runnerSchema,
    recent_health_checks: z.array(healthCheckSchema).describe("Of the last hour, newest first."),
  })
  .openapi("RunnerCardDetailsResponse");
export type RunnerCard = z.infer<typeof cardSchema>;

export const getRunnerConnectionRoute = createRoute("getRunnerConnection", {
  get: "/v1/runners/{runner_id}/connected",
  rule: { surface: "operator", permission: "runners.read" },
  tags,
  summary: "Check whether a runner is connected",
  responses: { 200: json(connectionSchema, "Whether the runner is connected.") },
});

export const getRunnerCardRoute = createRoute("getRunnerCard", {
  get: "/v1/runners/{runner_id}/card-details",
  rule: { surface: "operator", permission: "runners.read" },
  tags,
  summary: "Read a runner's summary card",
  responses: { 200: json(cardSchema, "The card.") },
});
