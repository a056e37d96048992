import { z } from "@hono/zod-openapi";

/** Yes or no in a query. */
export const truth = z.enum(["true", "false"]);
