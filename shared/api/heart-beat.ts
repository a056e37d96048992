import { z } from "@hono/zod-openapi";
import { runnerProcessTypes } from "../process-groups.ts";
import { createRoute } from "./create-route.ts";
import { cutText } from "./cut-text.ts";
import { idParam } from "./ids.ts";
import { processOrderSchema } from "./process-order.ts";
import { json, jsonBody } from "./response.ts";

const tags = ["Processes"];
const path = "/v1/runners/{runner_id}/heart-beats";
const params = z.object({ runner_id: idParam("runner_id", "run") });
const instant = z.iso.datetime();

/** Up to the largest int64: a double holds it well enough, and a process may well live for 104 days and more. */
const nanoseconds = z
  .number()
  .min(0)
  .max(9.2e18)
  .refine(Number.isInteger, { message: "Give whole nanoseconds." })
  .openapi({ type: "integer", format: "int64" });

const members = {
  runner_id: z.string(),
  process: z.enum(runnerProcessTypes).describe("The type of the process."),
  process_id: z.string(),
  version: z.string(),
  started_at: instant.describe("When the process started, by what it says."),
  alive_time: nanoseconds,
  created_at: instant,
};

export const heartBeatSchema = z
  .object({
    id: z.string().describe("Names this answer; a beat is no row that could be read again."),
    ...members,
    orders: z
      .array(processOrderSchema)
      .optional()
      .describe("Agents of ours: what to do now. The same with every answer until it is done."),
    settings_version: z.int().optional().describe("Agents of ours: the version of their settings."),
  })
  .openapi("RunnerHeartBeat");
export type HeartBeat = z.infer<typeof heartBeatSchema>;

export const latestHeartBeatSchema = z.object(members).openapi("LatestRunnerHeartBeat");
export type LatestHeartBeat = z.infer<typeof latestHeartBeatSchema>;

const beatBody = z
  .object({
    alive_time: nanoseconds.default(0),
    version: cutText(200).default(""),
    process: cutText(200).default("").describe("The type of the process."),
    process_id: z
      .string()
      .max(64)
      .default("")
      .describe(
        "Older clients send none: their first beat registers a process of the type, later ones mean that one.",
      ),
    executions: z
      .array(z.string().max(64))
      .max(1000)
      .optional()
      .describe(
        "Agents of ours: the executions that they hold. What is not named any more has stopped.",
      ),
    settings_version: z
      .int()
      .optional()
      .describe("Agents of ours: the settings that they work by."),
  })
  .openapi("NewRunnerHeartBeat");
export type NewHeartBeat = z.infer<typeof beatBody>;

export const createHeartBeatRoute = createRoute({
  operationId: "createHeartBeat",
  rule: { surface: "runner", permission: "runner.protocol", unmetered: true, ownPermit: true },
  method: "post",
  path,
  tags,
  summary: "Beat",
  description: "409 `process_shut_down` says that the process was ended; start anew.",
  request: { params, body: jsonBody(beatBody) },
  responses: { 201: json(heartBeatSchema, "It is noted.") },
});

export const getLatestHeartBeatsRoute = createRoute({
  operationId: "getLatestHeartBeats",
  rule: { surface: "operator", permission: "runners.read" },
  method: "get",
  path: `${path}/latest`,
  tags,
  summary: "Read the latest beat for each type of process",
  request: { params },
  responses: {
    200: json(
      z.partialRecord(z.enum(runnerProcessTypes), latestHeartBeatSchema),
      "By type; a type that never beat has no member.",
    ),
  },
});
