import { z } from "@hono/zod-openapi";
import { logSeverities } from "../log-severity.ts";
import { createRoute } from "./create-route.ts";
import { idParam } from "./ids.ts";
import { instantInput } from "./instant.ts";
import { jobOwner } from "./job-owner.ts";
import { pageOf, pageQuery } from "./page.ts";
import { json } from "./response.ts";

const tags = ["Logs"];
const instant = z.iso.datetime();

export const logStreamParams = z.object({ log_stream_id: idParam("log_stream_id", "lgs") });

/** A stream as who reads it sees it: there is no write token, see docs/decisions/0011. */
export const logStreamSchema = z
  .object({
    id: z.string(),
    org_id: z.string(),
    owner_id: z.string(),
    owner_type: z.string(),
    parent_id: z.string().nullable().describe("The stream of the operation that this is part of."),
    open: z.boolean().describe("Whether records may still come."),
    attrs: z.record(z.string(), z.string()),
    runner_api_url: z.string(),
    created_at: instant,
    records: z.int().describe("Kept now."),
    bytes: z.int().describe("Of these, before compression."),
    missing_records: z.int().describe("Numbered by their execution, but not arrived."),
    dropped_records: z
      .int()
      .describe("Given up to keep within what the stream or its org may hold."),
    end_cursor: z.string().describe("Where the next record will stand."),
  })
  .openapi("LogStream");
export type LogStream = z.infer<typeof logStreamSchema>;

export const logRecordSchema = z
  .object({
    cursor: z.string().describe("Where this record stands."),
    at: instant.describe("By the sender's clock, with microseconds."),
    observed_at: instant.optional(),
    severity: z.enum(["", ...logSeverities]),
    severity_number: z.int(),
    body: z.string(),
    step: z.string().optional(),
    runner_job_execution_id: z.string().optional(),
    seq: z.int().optional().describe("Its number among its execution's records."),
    attributes: z.record(z.string(), z.unknown()),
    resource: z.record(z.string(), z.unknown()),
    trace_id: z.string().optional(),
    span_id: z.string().optional(),
    late: z
      .boolean()
      .optional()
      .describe(
        "It came when its stream had closed: the broker had ended its execution while it ran, and its agent was told late.",
      ),
    cut_from: z.int().optional().describe("The bytes its body had before it was cut."),
    notice: z
      .enum(["missing", "dropped", "deleted", "damaged"])
      .optional()
      .describe(
        "The broker's own words: records are missing here, were dropped to keep within a limit, deleted when their time " +
          "was over, or cannot be read.",
      ),
  })
  .openapi("LogRecord");
export type LogRecord = z.infer<typeof logRecordSchema>;

/** What the records of a stream can be narrowed to. */
export const logFilterQuery = {
  since: instantInput.optional().describe("Only records of then or later."),
  until: instantInput.optional().describe("Only records of then or earlier."),
  severity: z.enum(logSeverities).optional().describe("Only records of this severity or worse."),
  step: z.string().max(256).optional().describe("Only records of this step."),
  q: z.string().max(200).optional().describe("Only records with this text, in either case."),
};
const cursor = z
  .string()
  .max(100)
  .optional()
  .describe("`next_cursor`, or any record's `cursor`; the stream's beginning, unless given.");

export const getLogStreamRoute = createRoute({
  operationId: "getLogStream",
  rule: { surface: "runner", permission: "logs.read", ownRunner: true },
  method: "get",
  path: "/v1/log-streams/{log_stream_id}",
  tags,
  summary: "Read a log stream",
  request: { params: logStreamParams },
  responses: { 200: json(logStreamSchema, "The stream.") },
});

export const listLogStreamsRoute = createRoute({
  operationId: "listLogStreams",
  rule: { surface: "control-plane", permission: "logs.read" },
  method: "get",
  path: "/v1/log-streams",
  tags,
  summary: "List the org's log streams",
  description:
    "Those that were written to or made by hand, by their ids backwards: of two jobs the later one's comes first. With " +
    "`owner_id` of a job or a process its own, written to or not.",
  request: {
    query: z.object({
      owner_id: jobOwner.optional(),
      owner_type: jobOwner.optional(),
      ...pageQuery,
    }),
  },
  responses: { 200: json(pageOf(logStreamSchema), "A page of streams.") },
});

export const logPageSchema = z.object({
  items: z.array(logRecordSchema).describe("In the stream's order, in either direction."),
  next_cursor: z
    .string()
    .nullable()
    .describe("Where to go on; null once the stream is closed and everything was told."),
  previous_cursor: z.string().nullable().describe("For `direction=backward`; null at the start."),
});

export const listLogsRoute = createRoute({
  operationId: "listLogs",
  rule: { surface: "runner", permission: "logs.read", ownRunner: true },
  method: "get",
  path: "/v1/log-streams/{log_stream_id}/logs",
  tags,
  summary: "Read the records of a log stream",
  description:
    "As `Accept` says: pages of JSON; `application/x-ndjson`, a record a line, or `text/plain`, all from the cursor on. " +
    "A page may hold fewer records than `limit`, even none, when much had to be looked through: go on with its cursor. " +
    "Records that are missing or were dropped are told by a record with `notice`, unless filters are given.",
  request: {
    params: logStreamParams,
    query: z.object({
      cursor,
      ...logFilterQuery,
      limit: z.coerce
        .number()
        .int()
        .min(1)
        .optional()
        .describe("In pages 100 unless given, 1,000 at most; in text and NDJSON all unless given."),
      direction: z
        .enum(["forward", "backward"])
        .default("forward")
        .describe("`backward`: the last records before the cursor, or of all."),
      timestamps: z
        .enum(["true", "false"])
        .default("true")
        .describe("In text: before each record."),
    }),
  },
  responses: {
    200: {
      description: "Records.",
      content: {
        "application/json": { schema: logPageSchema },
        "application/x-ndjson": { schema: z.string() },
        "text/plain": { schema: z.string() },
      },
    },
  },
});

export const tailLogsRoute = createRoute({
  operationId: "tailLogs",
  rule: {
    surface: "control-plane",
    permission: "logs.read",
    ownRunner: true,
    unmetered: true,
    ownPermit: true,
  },
  method: "get",
  path: "/v1/log-streams/{log_stream_id}/logs/tail",
  tags,
  summary: "Follow a log stream",
  description:
    "Server-sent events: each message is a record, its id the cursor to resume from, which `Last-Event-ID` says. The event " +
    "`end` tells that the stream is closed and everything was told; who resumes there is answered 204. Resume after " +
    "anything else. Records that come late, behind others of their execution, are waited for 2 s.",
  request: {
    params: logStreamParams,
    query: z.object({
      cursor,
      ...logFilterQuery,
      last: z.coerce
        .number()
        .int()
        .min(0)
        .max(1000)
        .optional()
        .describe("Begin with the last so many records; without it and a cursor, with the first."),
    }),
  },
  responses: {
    200: { description: "Events.", content: { "text/event-stream": { schema: z.string() } } },
    204: { description: "Nothing is left to follow." },
  },
});
