import { z } from "@hono/zod-openapi";
import { problem } from "../../../shared/problem.ts";

type Limits = readonly (readonly [member: string, most: number])[];
const known = new WeakMap<z.ZodType, Limits>();

/**
 * Refuses a body with a list that is longer than its schema allows (422), before any item is validated: zod validates
 * every item first, and twenty thousand invalid ones would delay all other requests.
 */
export function requireShortLists(schema: z.ZodType, value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  let bounds = known.get(schema);
  if (bounds === undefined) known.set(schema, (bounds = boundsOf(schema)));
  for (const [member, most] of bounds) {
    const list: unknown = Object.hasOwn(value, member) ? Reflect.get(value, member) : undefined;
    if (!Array.isArray(list) || list.length <= most) continue;
    const detail = `Too many items: ${list.length}. At most ${most} are allowed.`;
    throw problem.invalid([{ pointer: `#/${member}`, code: "too_big", detail }]);
  }
}

function boundsOf(schema: z.ZodType): Limits {
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape).flatMap(([member, inner]) => {
    const most = mostItems(inner as z.ZodType); // shapes hold schemas only
    return most === undefined ? [] : [[member, most] as const];
  });
}

/** The most items of a list, also of one that may be absent. */
function mostItems(schema: z.ZodType): number | undefined {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault
  ) {
    return mostItems(schema.unwrap() as z.ZodType); // likewise
  }
  if (!(schema instanceof z.ZodArray)) return undefined;
  const most = schema._zod.bag["maximum"];
  return typeof most === "number" ? most : undefined;
}
