import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import { idParam } from "./id-param.ts";
import { jobOwner } from "./job-owner.ts";
import { logStreamSchema } from "./log-streams.ts";
import { json } from "./response.ts";

const tags = ["Logs"];

/** What an answer says of the execution whose records were taken: `over`, where its agent should know. */
export const executionHeader = "svc-execution";

const newLogStreamSchema = z
  .strictObject({
    owner_id: jobOwner.min(1).describe("The operation, such as a deploy, a run or a build."),
    owner_type: jobOwner
      .min(1)
      .refine((type) => type !== "runner_jobs" && type !== "runner_processes", {
        error: "The streams of jobs and processes are created automatically.",
      }),
    runner_id: idParam("runner_id", "run")
      .optional()
      .describe("The runner whose tokens may write to it."),
    parent_id: idParam("parent_id", "lgs").optional(),
    attrs: z.record(z.string().max(200), z.string().max(2000)).default({}),
  })
  .openapi("NewLogStream");
export type NewLogStream = z.infer<typeof newLogStreamSchema>;

export const createLogStreamRoute = createRoute("createLogStream", {
  post: "/v1/log-streams",
  rule: { surface: "control-plane", permission: "jobs.write", idempotent: "replay" },
  tags,
  summary: "Create the log stream of an operation",
  description:
    "It is open until it is closed by hand, or its runner is deleted. Jobs with the same `owner_id` get streams of their own, whose parent it is.",
  body: newLogStreamSchema,
  responses: { 201: json(logStreamSchema, "The stream.") },
});

export const closeLogStreamRoute = createRoute("closeLogStream", {
  post: "/v1/log-streams/{log_stream_id}/close",
  rule: { surface: "control-plane", permission: "jobs.write" },
  tags,
  summary: "Close the log stream of an operation",
  description:
    "The streams of jobs and processes close with them (409). A closed stream stays as it is.",
  responses: { 200: json(logStreamSchema, "The closed stream.") },
});

export const appendLogsRoute = createRoute("appendLogs", {
  post: "/v1/log-streams/{log_stream_id}/logs",
  rule: {
    surface: "runner",
    permission: "logs.write",
    ownRunner: true,
    otlp: true,
    unmetered: true,
    ownPermit: true,
  },
  tags,
  summary: "Add records to a log stream",
  description:
    "OTLP/HTTP: an ExportLogsServiceRequest, as `application/x-protobuf` or `application/json`, gzip or not, up to 4 MiB and 20,000 records. " +
    "The answer is in the request's encoding; refusals are JSON. Records with the integer attribute `svc.seq` (from 1, " +
    "of the execution in `runner_job_execution.id`) are stored once however often they come. 429 and 503 say when to " +
    "retry. After a 201 the records are on disk. If the execution of an svc-agent has ended while its stream is open, the answer says so " +
    "within seconds in the header `Svc-Execution: over`.",
  body: {
    content: {
      "application/x-protobuf": { schema: z.string().openapi({ format: "binary" }) },
      "application/json": { schema: z.looseObject({}) },
    },
  },
  responses: {
    201: json(
      z.object({
        partialSuccess: z
          .object({ rejectedLogRecords: z.string(), errorMessage: z.string() })
          .optional(),
      }),
      "Accepted. `partialSuccess` says what was not.",
    ),
  },
});
