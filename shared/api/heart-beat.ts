import { z } from "@hono/zod-openapi";
import { runnerProcessTypes } from "../process-groups.ts";
import { createRoute } from "./create-route.ts";
import { cutText } from "./cut-text.ts";
import { processOrderSchema } from "./process-order.ts";
import { json } from "./response.ts";

const tags = ["Processes"];
const path = "/v1/runners/{runner_id}/heart-beats";
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
  started_at: instant.describe("When the process started, by its own account."),
  alive_time: nanoseconds,
  created_at: instant,
};

export const heartBeatSchema = z
  .object({
    id: z
      .string()
      .describe(
        "An id of this answer. Heartbeats are not stored as rows and cannot be read again.",
      ),
    ...members,
    orders: z
      .array(processOrderSchema)
      .optional()
      .describe(
        "svc-agent only: its open orders. Each is repeated in every answer until it is done.",
      ),
    settings_version: z
      .int()
      .optional()
      .describe("svc-agent only: the current version of its settings."),
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
        "Older clients send none. Their first heartbeat registers a process of this type; later ones belong to that process.",
      ),
    executions: z
      .array(z.string().max(64))
      .max(1000)
      .optional()
      .describe(
        "svc-agent only: the executions it holds. An execution that is no longer listed has stopped.",
      ),
    settings_version: z
      .int()
      .optional()
      .describe("svc-agent only: the version of the settings it uses."),
  })
  .openapi("NewRunnerHeartBeat");
export type NewHeartBeat = z.infer<typeof beatBody>;

export const createHeartBeatRoute = createRoute("createHeartBeat", {
  post: path,
  rule: { surface: "runner", permission: "runner.protocol", unmetered: true, ownPermit: true },
  tags,
  summary: "Beat",
  description: "409 `process_shut_down`: the process has ended. Register a new one.",
  body: beatBody,
  responses: { 201: json(heartBeatSchema, "The request was accepted.") },
});

export const getLatestHeartBeatRoute = createRoute("getLatestHeartBeat", {
  get: "/v1/runners/{runner_id}/latest-heart-beat",
  rule: { surface: "operator", permission: "runners.read" },
  tags,
  summary: "Read the latest heartbeat of a runner",
  description: "Of whichever process. 404 `heart_beat_not_found` before the first.",
  responses: { 200: json(latestHeartBeatSchema, "The heartbeat.") },
});

export const getProcessHeartBeatRoute = createRoute("getProcessHeartBeat", {
  get: "/v1/runners/{runner_id}/processes/{process_id}/heart-beats/latest",
  rule: { surface: "operator", permission: "runners.read" },
  tags,
  summary: "Read the latest heartbeat of a process",
  description: "404 `heart_beat_not_found` before the first.",
  responses: { 200: json(latestHeartBeatSchema, "The heartbeat.") },
});

export const getLatestHeartBeatsRoute = createRoute("getLatestHeartBeats", {
  get: `${path}/latest`,
  rule: { surface: "operator", permission: "runners.read" },
  tags,
  summary: "Read the latest heartbeat for each process type",
  responses: {
    200: json(
      z.partialRecord(z.enum(runnerProcessTypes), latestHeartBeatSchema),
      "By process type. Types without a heartbeat are left out.",
    ),
  },
});
