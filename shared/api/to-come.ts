import { z } from "@hono/zod-openapi";

/**
 * A member of what is to come, which clients send: what is empty is taken, and has no effect; for all else it is told why not, in a clause.
 * The document has it as `x-comes-later`.
 */
export function toCome(why: string) {
  const words = `Must be empty: ${why}.`;
  return z
    .unknown()
    .refine((value) => value !== null && isEmpty(value), {
      params: { code: "comes_later" },
      error: words,
    })
    .optional()
    .openapi({ description: words, "x-comes-later": why });
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  value === false ||
  (typeof value === "object" && Object.values(value).every(isEmpty));
