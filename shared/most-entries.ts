import { z } from "@hono/zod-openapi";

/** The most entries of a map, and what is told of one that has more. */
export type MostEntries = { readonly most: number; readonly message: string };

/** That a map has no more entries than these. Who validates can ask for the bound before any entry is looked at. */
export function mostEntries(most: number, message: string) {
  const check = z.check<Record<string, unknown>>(({ value, issues }) => {
    if (Object.keys(value).length <= most) return;
    issues.push({ code: "custom", input: value, message, continue: true });
  });
  check._zod.onattach.push((schema) => {
    schema._zod.bag[name] = { most, message };
  });
  return check;
}

const name = "mostEntries";

/** The bound of a map; undefined where its schema has none. */
export function mostEntriesOf(schema: z.ZodType): MostEntries | undefined {
  return schema._zod.bag[name] as MostEntries | undefined; // by the check above
}
