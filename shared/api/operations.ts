import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import { json } from "./response.ts";

const tags = ["Operations"];
const text = (description: string, type: string) => ({
  description,
  content: { [type]: { schema: z.string() } },
});

export const getLivenessRoute = createRoute("getLiveness", {
  get: "/livez",
  rule: { surface: "open", permission: null, unmetered: true },
  tags,
  summary: "Check that the process is alive",
  description: "Does not depend on the database.",
  responses: { 200: json(z.object({ status: z.literal("alive") }), "The process is alive.") },
});

export const getReadinessRoute = createRoute("getReadiness", {
  get: "/readyz",
  rule: { surface: "open", permission: null, unmetered: true },
  tags,
  summary: "Check that the broker is ready for requests",
  description:
    "503 while the database does not answer within a second, the schema does not fit this version, or the broker drains. The problem names the check that failed.",
  query: z.object({
    verbose: z
      .enum(["true", "false", "1", "0"])
      .optional()
      .openapi({ description: "List the checks." }),
  }),
  responses: {
    200: json(
      z.object({
        status: z.literal("ready"),
        checks: z.array(z.object({ name: z.string(), status: z.literal("ok") })).optional(),
      }),
      "The broker is ready.",
    ),
  },
});

export const getVersionRoute = createRoute("getVersion", {
  get: "/version",
  rule: { surface: "open", permission: null, unmetered: true },
  tags,
  summary: "Get the broker's version",
  responses: {
    200: json(
      z.object({
        version: z.string(),
        has_opa: z
          .boolean()
          .optional()
          .describe("Whether it can evaluate policies. Left out by older brokers."),
        has_registry: z
          .boolean()
          .optional()
          .describe("Whether builds have a registry (SVC_REGISTRY). Left out by older brokers."),
      }),
      "The version.",
    ),
  },
});

export const getMetricsRoute = createRoute("getMetrics", {
  get: "/metrics",
  rule: { surface: "open", permission: null, unmetered: true },
  tags,
  summary: "Get the metrics",
  description:
    "In the Prometheus text format. Requires the token of SVC_METRICS_TOKEN if it is set.",
  responses: { 200: text("The metrics.", "text/plain") },
});

export const getOpenApiDocumentRoute = createRoute("getOpenApiDocument", {
  get: "/openapi.json",
  rule: { surface: "open", permission: null },
  tags,
  summary: "Get this API's OpenAPI 3.1 document",
  responses: { 200: json(z.object({ openapi: z.string() }), "The document.") },
});

export const getOpenApi30DocumentRoute = createRoute("getOpenApi30Document", {
  get: "/openapi-3.0.json",
  rule: { surface: "open", permission: null },
  tags,
  summary: "Get the same document as OpenAPI 3.0",
  description:
    "For generators of clients that read no OpenAPI 3.1. What may be null is `nullable`, and `webhooks` are `x-webhooks`.",
  responses: { 200: json(z.object({ openapi: z.string() }), "The document.") },
});

export const getReferenceRoute = createRoute("getReference", {
  get: "/docs",
  rule: { surface: "open", permission: null },
  tags,
  summary: "Read this API's reference",
  responses: { 200: text("A page.", "text/html") },
});

export const getReferenceStyleRoute = createRoute("getReferenceStyle", {
  get: "/docs/reference.css",
  rule: { surface: "open", permission: null },
  tags,
  summary: "Get the reference's style sheet",
  responses: { 200: text("A style sheet.", "text/css") },
});
