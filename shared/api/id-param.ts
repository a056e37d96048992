import { z } from "@hono/zod-openapi";

/** An id in a path: its prefix and 26 characters; anything else is nobody's id and answers 404. */
export function idParam(name: string, prefix: string): z.ZodString {
  return z
    .string()
    .regex(new RegExp(`^${prefix}_[0-9a-hjkmnp-tv-z]{26}$`))
    .openapi({ param: { name, in: "path" }, example: `${prefix}_01k9zq5v3t8w2x4y6z8a0b2c4d` });
}
