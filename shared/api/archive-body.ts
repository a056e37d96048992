import { z } from "@hono/zod-openapi";

/** The content types by which a tar.gz is known. */
export const archiveTypes: readonly string[] = [
  "application/gzip",
  "application/x-gzip",
  "application/x-tar+gzip",
];

const archive = { schema: z.string().openapi({ format: "binary" }) };

/** A request body of this schema, or a tar.gz of the directory that it describes. */
export function jsonOrArchiveBody<Schema extends z.ZodType>(
  schema: Schema,
): {
  content: { "application/json": { schema: Schema }; "application/gzip": typeof archive };
} {
  return { content: { "application/json": { schema }, "application/gzip": archive } };
}
