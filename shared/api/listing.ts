import { z } from "@hono/zod-openapi";
import { digits } from "./digits.ts";
import { instantInput } from "./instant.ts";
import { cursorQuery, mostOffset, pageOf } from "./page.ts";

/** The query of lists that answer an array, by limit and offset, unless a cursor is given. */
export const listingQuery = {
  cursor: cursorQuery.cursor,
  limit: digits(1, 100).default(10).describe("How many items are shown at most."),
  offset: digits(0, mostOffset).default(0).describe("How many to pass over; without `cursor`."),
  page: digits(0, mostOffset)
    .optional()
    .describe("Which part of `limit` items, from 0; in place of `offset`."),
};

/** The query of lists that are short enough to be answered whole. */
export const partQuery = {
  limit: digits(1, 1000).optional().describe("How many items are shown; all unless given."),
  offset: listingQuery.offset.describe("How many to pass over."),
  page: listingQuery.page.describe("Which part of `limit` items (10 unless given), from 0."),
};

/** The query by which such lists are narrowed to when things were created. */
export const createdQuery = {
  created_at_gte: instantInput.optional().describe("Created at this instant or later."),
  created_at_lte: instantInput.optional().describe("Created at this instant or earlier."),
};

/** How such a list is told of. */
export const listingDescription =
  "Newest first. Without `cursor`: an array, of which `limit` and `offset` (or `page`) choose a part; `X-Svc-Page-Next` says whether there is more. With " +
  "`cursor` (empty for the first page): `items` and `next_cursor`.";

/** What such a list answers. */
export function listingOf<Item extends z.ZodType>(item: Item) {
  return z.union([z.array(item), pageOf(item)]);
}
