import { z } from "@hono/zod-openapi";
import { logSeverities } from "../log-severity.ts";
import { createRoute } from "./create-route.ts";
import { digits } from "./digits.ts";
import { idParam } from "./id-param.ts";
import { instantInput } from "./instant.ts";
import { jobOwner } from "./job-owner.ts";
import { otelLogQuery, otelLogRecordSchema } from "./otel-log-record.ts";
import { pageOrArrayOf, pageQuery } from "./page.ts";
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
    parent_id: z
      .string()
      .nullable()
      .describe("The stream of the operation that this one is part of."),
    open: z.boolean().describe("Whether records can still be added."),
    attrs: z.record(z.string(), z.string()),
    runner_api_url: z.string(),
    created_at: instant,
    records: z.int().describe("Kept now."),
    bytes: z.int().describe("Total size of the records before compression."),
    missing_records: z
      .int()
      .describe("Records that were numbered by their execution but have not arrived."),
    dropped_records: z
      .int()
      .describe("Records that were dropped to keep the stream or its org within its limit."),
    end_cursor: z.string().describe("The position of the next record."),
  })
  .openapi("LogStream");
export type LogStream = z.infer<typeof logStreamSchema>;

export const logRecordSchema = z
  .object({
    cursor: z.string().describe("The position of this record."),
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
        "It arrived after its stream was closed: the broker had ended the execution while it still ran.",
      ),
    cut_from: z.int().optional().describe("Size of the body before it was cut, in bytes."),
    notice: z
      .enum(["missing", "dropped", "deleted", "damaged"])
      .optional()
      .describe(
        "A notice of the broker: records are missing here, were dropped because of a limit, were deleted after their retention " +
          "time, or cannot be read.",
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
  ...otelLogQuery,
};
const cursor = z
  .string()
  .max(100)
  .optional()
  .describe(
    "`next_cursor` of the page before, or the `cursor` of any record. Default: the beginning of the stream.",
  );

export const getLogStreamRoute = createRoute("getLogStream", {
  get: "/v1/log-streams/{log_stream_id}",
  rule: { surface: "runner", permission: "logs.read", ownRunner: true },
  tags,
  summary: "Read a log stream",
  responses: { 200: json(logStreamSchema, "The stream.") },
});

export const listLogStreamsRoute = createRoute("listLogStreams", {
  get: "/v1/log-streams",
  rule: { surface: "control-plane", permission: "logs.read", bound: true },
  tags,
  summary: "List the org's log streams",
  description:
    "Lists streams that have records or were created by hand, newest id first. With " +
    "the `owner_id` of a job or process it lists that one's stream, with or without records.",
  query: z.object({
    owner_id: jobOwner.optional().describe("Only streams of this owner."),
    owner_type: jobOwner.optional().describe("Only streams of owners of this type."),
    ...pageQuery,
  }),
  responses: { 200: json(pageOrArrayOf(logStreamSchema), "A page of streams.") },
});

const logPageSchema = z.object({
  items: z.array(logRecordSchema).describe("In the stream's order, in either direction."),
  next_cursor: z
    .string()
    .nullable()
    .describe("Continue here. null once the stream is closed and fully read."),
  previous_cursor: z.string().nullable().describe("For `direction=backward`; null at the start."),
});
/** Its type is the page: callers of ours ask for no array. */
const logsSchema = z.union([
  logPageSchema,
  z.array(otelLogRecordSchema),
]) as unknown as typeof logPageSchema;

const followedSchema = z
  .object({
    logs: z.array(otelLogRecordSchema),
    next: z.string().describe("`since` of the next request."),
    has_more: z.boolean().describe("There are more already."),
  })
  .openapi("LogStreamTailLogsResponse");

export const listLogsRoute = createRoute("listLogs", {
  get: "/v1/log-streams/{log_stream_id}/logs",
  rule: { surface: "runner", permission: "logs.read", ownRunner: true },
  tags,
  summary: "Read the records of a log stream",
  description:
    "As `Accept` says: JSON; `application/x-ndjson`, a record a line, or `text/plain`, all from the cursor on. JSON with `cursor` (empty for the " +
    "first page), `limit` or `direction` is a page. With none of them it is an array, at most 1,000 records from `X-Svc-API-Offset` on; " +
    "`X-Svc-API-Next` is the offset of the next part, and missing once the stream is closed and fully read. " +
    "A page may hold fewer records than `limit`, even none, if many records had to be searched: continue with its cursor. " +
    "Missing or dropped records are reported by a record with `notice`, unless filters are given.",
  query: z.object({
    cursor,
    ...logFilterQuery,
    limit: digits(1)
      .optional()
      .describe("For pages: default 100, at most 1,000. For text and NDJSON: all by default."),
    direction: z
      .enum(["forward", "backward"])
      .default("forward")
      .describe("`backward`: the last records before the cursor, or of all."),
    order: z.enum(["asc", "desc"]).default("asc").describe("Of an array: `desc` is newest first."),
    timestamps: z.enum(["true", "false"]).default("true").describe("In text: before each record."),
  }),
  responses: {
    200: {
      description: "Records.",
      content: {
        "application/json": { schema: logsSchema },
        "application/x-ndjson": { schema: z.string() },
        "text/plain": { schema: z.string() },
      },
    },
  },
});

export const tailLogsRoute = createRoute("tailLogs", {
  get: "/v1/log-streams/{log_stream_id}/logs/tail",
  rule: {
    surface: "control-plane",
    permission: "logs.read",
    ownRunner: true,
    unmetered: true,
    ownPermit: true,
  },
  tags,
  summary: "Follow a log stream",
  description:
    "Server-sent events: each message is a record, its id the cursor to resume from, which `Last-Event-ID` says. The event " +
    "`end` means that the stream is closed and fully read; resuming there answers 204. Resume after " +
    "any other interruption. The stream waits up to 2 s for records that arrive out of order. With `wait`, or where `Accept` names JSON and not " +
    "`text/event-stream`, it answers once: what is there, or what comes first within `wait`; 204 if nothing does.",
  query: z.object({
    cursor,
    ...logFilterQuery,
    since: z
      .union([
        instantInput,
        z.string().regex(/^\d{1,15}$/, "Send a time, or `next` of an answer before."),
      ])
      .optional()
      .describe("Only records of then or later; or `next` of an answer before."),
    wait: z.string().max(40).optional().describe("Answer once. At most and by default 25s."),
    last: digits(0, 1000)
      .optional()
      .describe(
        "Start with this many of the last records. Without it and without a cursor, start with the first.",
      ),
  }),
  responses: {
    200: {
      description: "Events, or the next records.",
      content: {
        "text/event-stream": { schema: z.string() },
        "application/json": { schema: followedSchema },
      },
    },
    204: { description: "There is nothing left to follow." },
  },
});
