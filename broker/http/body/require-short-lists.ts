import { z } from "@hono/zod-openapi";
import { mostEntriesOf } from "../../../shared/most-entries.ts";
import { type ProblemError, problem } from "../../../shared/problem.ts";

/** What is wrong with a value that is longer than it may be. */
type Bound = (value: unknown) => Pick<ProblemError, "code" | "detail"> | undefined;
type Bounds = readonly (readonly [member: string, bound: Bound])[];
const known = new WeakMap<z.ZodType, Bounds>();

/**
 * Refuses a body with a list or map that is longer than its schema allows (422), before any item is validated: zod
 * validates every item first, and thousands of them would delay all other requests.
 */
export function requireShortLists(schema: z.ZodType, value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  let bounds = known.get(schema);
  if (bounds === undefined) known.set(schema, (bounds = boundsOf(schema)));
  for (const [member, bound] of bounds) {
    const wrong = Object.hasOwn(value, member) ? bound(Reflect.get(value, member)) : undefined;
    if (wrong !== undefined) throw problem.invalid([{ pointer: `#/${member}`, ...wrong }]);
  }
}

function boundsOf(schema: z.ZodType): Bounds {
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape).flatMap(([member, inner]) => {
    const bound = boundOf(inner as z.ZodType); // shapes hold schemas only
    return bound === undefined ? [] : [[member, bound] as const];
  });
}

/** Of a list or map, also of one that may be absent. */
function boundOf(schema: z.ZodType): Bound | undefined {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault
  ) {
    return boundOf(schema.unwrap() as z.ZodType); // likewise
  }
  if (schema instanceof z.ZodArray) return ofList(schema._zod.bag["maximum"]);
  return schema instanceof z.ZodRecord ? ofMap(schema) : undefined;
}

function ofList(most: unknown): Bound | undefined {
  if (typeof most !== "number") return undefined;
  return (value) =>
    Array.isArray(value) && value.length > most
      ? {
          code: "too_big",
          detail: `Too many items: ${value.length}. At most ${most} are allowed.`,
        }
      : undefined;
}

function ofMap(schema: z.ZodRecord): Bound | undefined {
  const bound = mostEntriesOf(schema);
  if (bound === undefined) return undefined;
  return (value) =>
    typeof value === "object" && value !== null && Object.keys(value).length > bound.most
      ? { code: "invalid", detail: bound.message }
      : undefined;
}
