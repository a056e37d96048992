import { z } from "@hono/zod-openapi";

const members = {
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  instance: z.string(),
  code: z.string(),
  errors: z
    .array(z.object({ pointer: z.string(), code: z.string(), detail: z.string() }))
    .optional(),
};

/** A refusal as RFC 9457 has it; clients switch on `code`. */
export const problemSchema = z.object(members).openapi("Problem");

/** A refusal on the routes that runner clients call: the same, and the members those clients know. */
export const runnerProblemSchema = z
  .object({ ...members, error: z.string(), description: z.string(), user_error: z.boolean() })
  .openapi("RunnerProblem");
