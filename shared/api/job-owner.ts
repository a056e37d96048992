import { z } from "@hono/zod-openapi";

/** The id or the type of a job's owner, wherever it is given: one that a job can have can be asked for. */
export const jobOwner = z.string().max(255);
