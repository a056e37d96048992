import { z } from "@hono/zod-openapi";

/** A refusal as RFC 9457 has it, and what existing clients show of one; clients switch on `code`. */
export const problemSchema = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string(),
    code: z.string(),
    errors: z
      .array(z.object({ pointer: z.string(), code: z.string(), detail: z.string() }))
      .optional(),
    error: z.string().describe("As `detail`."),
    description: z.string().describe("As `detail`."),
    user_error: z.boolean().describe("Whether the request has to change."),
  })
  .openapi("Problem");
