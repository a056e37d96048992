import { z } from "@hono/zod-openapi";

/** How it is told which of both shapes is answered. */
export const twoShapesText =
  "Who names `application/problem+json` in Accept gets the first of the two shapes, as `svc` does; everybody else the second.";

/** An answer that our own programs read in one shape and other clients of the API in another. Its type is ours. */
export function inTwoShapes<Ours extends z.ZodType>(ours: Ours, theirs: z.ZodType): Ours {
  return z.union([ours, theirs]) as unknown as Ours; // told of both, typed as the one
}
