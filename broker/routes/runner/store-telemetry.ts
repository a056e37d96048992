import type { z } from "@hono/zod-openapi";
import { metricsRequestSchema, traceRequestSchema } from "../../../shared/api/otlp.ts";
import { createMetricsRoute, createTracesRoute } from "../../../shared/api/telemetry.ts";
import { problem } from "../../../shared/problem.ts";
import type { AppContext, Door } from "../../http/app-types.ts";
import { type OtlpBody, otlpJson, readOtlp } from "../../http/body/read-otlp.ts";
import { validateBody } from "../../http/gate/validate.ts";
import { permitFor } from "../../http/gate/with-permit.ts";
import { requireFewMembers } from "../../telemetry/otlp-limits.ts";
import { metricsRequest, traceRequest } from "../../telemetry/otlp-messages.ts";
import { type PartialSuccess, protobufOf } from "../../telemetry/partial-success.ts";
import { type Message, NotProtobuf, readProtobuf } from "../../telemetry/read-protobuf.ts";
import { storeMetrics, storeTraces } from "../../telemetry/store-telemetry.ts";

const sizes = { maxBytes: 1024 * 1024, maxInflatedBytes: 8 * 1024 * 1024 };
/** Values in one request: a span has some dozens. */
const mostParts = 200_000;

/** POST of spans and of metrics, at their runner's path. */
export const storeTelemetry: Door = (app, broker) => {
  const { db, collector, decompressions } = broker;
  app.openapi(createTracesRoute, async (c) => {
    const sender = senderOf(c, c.req.valid("param"));
    const read = reader(traceRequestSchema, traceRequest);
    const reading = { ...sizes, key: sender.runnerId, read };
    const { type, sent, request } = await readOtlp(c, decompressions, reading);
    const refused = await permitFor(c, broker)(() => storeTraces(db, sender, request));
    collector.pass("traces", { type, ...sent });
    return answer(c, type, { status: 200, refused, counted: "rejectedSpans" });
  });
  app.openapi(createMetricsRoute, async (c) => {
    const sender = senderOf(c, c.req.valid("param"));
    const read = reader(metricsRequestSchema, metricsRequest);
    const reading = { ...sizes, key: sender.runnerId, read };
    const { type, sent, request } = await readOtlp(c, decompressions, reading);
    const refused = await permitFor(c, broker)(() => storeMetrics(db, sender, request));
    collector.pass("metrics", { type, ...sent });
    return answer(c, type, { status: 201, refused, counted: "rejectedDataPoints" });
  });
};

function senderOf(c: AppContext, { runner_id: runnerId }: { readonly runner_id: string }) {
  return { orgId: c.get("actor").orgId, runnerId };
}

type Read<Request> = Pick<OtlpBody, "type" | "sent"> & { readonly request: Request };

function reader<Schema extends z.ZodType>(
  schema: Schema,
  message: Message,
): (body: OtlpBody) => Read<z.output<Schema>> {
  return (body) => ({
    type: body.type,
    sent: body.sent,
    request: readRequest(body, schema, message),
  });
}

function readRequest<Schema extends z.ZodType>(
  body: OtlpBody,
  schema: Schema,
  message: Message,
): z.output<Schema> {
  const value =
    body.type === "application/json" ? otlpJson(body, mostParts) : protobufValue(body, message);
  requireFewMembers(value);
  return validateBody(schema, value) as z.output<Schema>; // as the schema reads it
}

function protobufValue({ bytes }: OtlpBody, message: Message): unknown {
  try {
    return readProtobuf(bytes, message, mostParts);
  } catch (error) {
    if (!(error instanceof NotProtobuf)) throw error;
    throw problem.malformed("malformed_protobuf", `The body is no such message. ${error.message}`);
  }
}

/** In the encoding of the request, as the protocol asks. */
function answer<Status extends 200 | 201>(
  c: AppContext,
  type: OtlpBody["type"],
  { status, refused, counted }: PartialSuccess & { readonly status: Status },
) {
  if (type === "application/x-protobuf") {
    const bytes = new Uint8Array(protobufOf(refused));
    // The contract documents the JSON form alone.
    return c.body(bytes, status, { "content-type": type }) as never;
  }
  const { count, reason } = refused;
  if (count === 0) return c.json({}, status);
  return c.json({ partialSuccess: { [counted]: String(count), errorMessage: reason } }, status);
}
