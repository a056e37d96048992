import { z } from "@hono/zod-openapi";
import { type IdName, idNames, isNamedParam } from "../id-names.ts";
import { formerPrefixes, type IdPrefix, idPrefixes } from "../id-prefixes.ts";

/**
 * An id in a path: its prefix and 26 characters; anything else is nobody's id and answers 404. Where a name may stand for it the broker puts the id
 * there before this is asked, so that no pattern keeps clients from sending one.
 */
export function idParam(name: string, prefix: IdPrefix): z.ZodString {
  const example = `${prefix}_01k9zq5v3t8w2x4y6z8a0b2c4d`;
  const of = `the id of ${idPrefixes[prefix].words}`;
  const former = formerPrefixes[prefix];
  const begin = former === undefined ? prefix : `(?:${prefix}|${former})`;
  const pattern = new RegExp(`^${begin}_[0-9a-hjkmnp-tv-z]{26}$`);
  const message = `Must be ${of}, such as ${example}.`;
  const param = { name, in: "path" } as const;
  const description = `T${of.slice(1)}`;
  if (isNamedParam(name)) {
    const id = z.string().refine((value) => pattern.test(value), message);
    return id.openapi({ param, description: `${description}, or its name.`, example });
  }
  return z
    .string()
    .regex(pattern, message)
    .openapi({ param, description: `${description}.`, example });
}

/** The ids that a path names; undefined where it names none. */
export function paramsOf(path: string): z.ZodObject<Record<string, z.ZodString>> | undefined {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  if (names.length === 0) return undefined;
  return z.object(
    Object.fromEntries(names.map((name) => [name, idParam(name, idNames[name as IdName])])), // each is one, by its type
  );
}
