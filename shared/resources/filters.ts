import { z } from "@hono/zod-openapi";
import { instantInput } from "../api/instant.ts";
import { labelsQuery } from "../api/label-keys.ts";

/** How a filter narrows a list: by which test of which column. */
export type FilterTest = "is" | "named" | "part" | "labelled" | "since" | "until";
export type Filter<Schema extends z.ZodType = z.ZodType, Of extends string = string> = {
  readonly schema: Schema;
  readonly test: FilterTest;
  readonly of: Of;
};
export type Filters = Readonly<Record<string, Filter>>;

/** Exactly this. */
export const is = <Of extends string, Schema extends z.ZodType>(
  of: Of,
  schema: Schema,
): Filter<Schema, Of> => ({ schema, test: "is", of });

/** By a name, in which `-` and `_` are equal. */
export const named = <Of extends string>(
  of: Of,
  says: string,
): Filter<z.ZodOptional<z.ZodString>, Of> => ({
  schema: z.string().max(63).optional().describe(says),
  test: "named",
  of,
});

/** By a part of a text, in small or large letters. */
export const part = <Of extends string>(
  of: Of,
  says: string,
  most = 255,
): Filter<z.ZodOptional<z.ZodString>, Of> => ({
  schema: z.string().max(most).optional().describe(says),
  test: "part",
  of,
});

/** By labels. */
export const labelled = <Of extends string>(
  of: Of,
  says?: string,
): Filter<typeof labelsQuery, Of> => ({
  schema: says === undefined ? labelsQuery : labelsQuery.describe(says),
  test: "labelled",
  of,
});

/** By when things were created. */
export const created = {
  created_at_gte: {
    schema: instantInput.optional().describe("Created at this instant or later."),
    test: "since",
    of: "created_at",
  },
  created_at_lte: {
    schema: instantInput.optional().describe("Created at this instant or earlier."),
    test: "until",
    of: "created_at",
  },
} as const;
