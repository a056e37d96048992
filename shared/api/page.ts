import { z } from "@hono/zod-openapi";
import { digits } from "./digits.ts";

/** The query members of every keyset-paged list. */
export const pageQuery = {
  cursor: z
    .string()
    .max(1000)
    .optional()
    .openapi({ description: "`next_cursor` of the page before." }),
  limit: digits(1, 100).default(50).describe("How many items a page has at most."),
};

/** A page of a list: its items and the cursor of the next page, null on the last. */
export function pageOf<Item extends z.ZodType>(
  item: Item,
): z.ZodObject<{ items: z.ZodArray<Item>; next_cursor: z.ZodNullable<z.ZodString> }> {
  return z.object({ items: z.array(item), next_cursor: z.string().nullable() });
}
