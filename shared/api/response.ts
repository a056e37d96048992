import type { z } from "@hono/zod-openapi";

/** A response whose body is JSON of this schema. Refusals are described for all routes at once. */
export function json<Schema extends z.ZodType>(
  schema: Schema,
  description: string,
): { description: string; content: { "application/json": { schema: Schema } } } {
  return { description, content: { "application/json": { schema } } };
}

/** A request body of this schema; an empty body is read as `{}`. */
export function jsonBody<Schema extends z.ZodType>(
  schema: Schema,
): { content: { "application/json": { schema: Schema } } } {
  return { content: { "application/json": { schema } } };
}
