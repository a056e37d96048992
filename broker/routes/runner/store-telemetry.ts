import type { z } from "@hono/zod-openapi";
import { metricsRequestSchema, traceRequestSchema } from "../../../shared/api/otlp.ts";
import { createMetricsRoute, createTracesRoute } from "../../../shared/api/telemetry.ts";
import { answerOtlp } from "../../http/answer/answer-otlp.ts";
import type { AppContext, RegisterRoutes } from "../../http/app-types.ts";
import { type OtlpBody, otlpRequest, readOtlp } from "../../http/body/read-otlp.ts";
import { validateBody } from "../../http/gate/validate.ts";
import { requireFewMembers } from "../../otlp/otlp-limits.ts";
import { metricsRequest, type OtlpRequest, traceRequest } from "../../otlp/otlp-messages.ts";
import { storeMetrics, storeTraces } from "../../telemetry/store-telemetry.ts";

const sizes = { maxBytes: 1024 * 1024, maxInflatedBytes: 8 * 1024 * 1024 };

/** POST of spans and of metrics, at their runner's path. */
export const storeTelemetry: RegisterRoutes = (app, broker) => {
  const { db, collector, decompressions } = broker;
  app.handle(createTracesRoute, async ({ c, params, withPermit }) => {
    const sender = senderOf(c, params);
    const read = reader(traceRequestSchema, traceRequest);
    const reading = { ...sizes, key: sender.runnerId, read };
    const { type, sent, request } = await readOtlp(c, decompressions, reading);
    const refused = await withPermit(() => storeTraces(db, sender, request));
    collector.pass("traces", { type, ...sent });
    return answerOtlp(c, type, { status: 200, refused, counted: "rejectedSpans" });
  });
  app.handle(createMetricsRoute, async ({ c, params, withPermit }) => {
    const sender = senderOf(c, params);
    const read = reader(metricsRequestSchema, metricsRequest);
    const reading = { ...sizes, key: sender.runnerId, read };
    const { type, sent, request } = await readOtlp(c, decompressions, reading);
    const refused = await withPermit(() => storeMetrics(db, sender, request));
    collector.pass("metrics", { type, ...sent });
    return answerOtlp(c, type, { status: 201, refused, counted: "rejectedDataPoints" });
  });
};

function senderOf(c: AppContext, { runner_id: runnerId }: { readonly runner_id: string }) {
  return { orgId: c.get("actor").orgId, runnerId };
}

type Read<Request> = Pick<OtlpBody, "type" | "sent"> & { readonly request: Request };

function reader<Schema extends z.ZodType>(
  schema: Schema,
  message: OtlpRequest,
): (body: OtlpBody) => Read<z.output<Schema>> {
  return (body) => {
    const value = otlpRequest(body, message);
    requireFewMembers(value);
    const request = validateBody(schema, value) as z.output<Schema>; // as the schema reads it
    return { type: body.type, sent: body.sent, request };
  };
}
