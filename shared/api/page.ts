import { z } from "@hono/zod-openapi";
import { digits } from "./digits.ts";

/** How many things of a list can be passed over. */
export const mostOffset = 1_000_000;

/** The query members of lists that have pages alone. */
export const cursorQuery = {
  cursor: z
    .string()
    .max(1000)
    .optional()
    .openapi({ description: "`next_cursor` of the page before." }),
  limit: digits(1, 100).default(50).describe("How many items a page has at most."),
};

/** The query members of lists that have pages for our own programs, unless `offset` or `page` is given: then they answer an array. */
export const pageQuery = {
  ...cursorQuery,
  offset: digits(0, mostOffset)
    .optional()
    .describe("How many to pass over. The answer is an array."),
  page: digits(0, mostOffset)
    .optional()
    .describe("Which part of `limit` items, from 0. The answer is an array."),
};

/** A page of a list: its items and the cursor of the next page, null on the last. */
export function pageOf<Item extends z.ZodType>(
  item: Item,
): z.ZodObject<{ items: z.ZodArray<Item>; next_cursor: z.ZodNullable<z.ZodString> }> {
  return z.object({ items: z.array(item), next_cursor: z.string().nullable() });
}

/** What a list with `pageQuery` answers. Its type is the page: callers of ours ask for no array. */
export function pageOrArrayOf<Item extends z.ZodType>(item: Item): ReturnType<typeof pageOf<Item>> {
  return z.union([pageOf(item), z.array(item)]) as unknown as ReturnType<typeof pageOf<Item>>; // told of both, typed as the one
}
