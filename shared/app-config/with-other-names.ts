import type { ConfigFile } from "./config-files.ts";
import type { JsonSchema } from "./json-schema.ts";
import { otherNames } from "./other-names.ts";

/** The schema of a kind of file with the other names of its members. */
export function withOtherNames(kind: ConfigFile, schema: JsonSchema): JsonSchema {
  const around = [kind.section, ...(kind.member === undefined ? [] : [kind.member])];
  const own = kind.type === "permission" ? [...around, "custom_roles"] : around;
  let told = schema;
  for (const { at, from, to } of otherNames) {
    const isIn = own.every((member, nth) => at[nth] === member);
    if (isIn) told = added(told, at.slice(own.length), { from, to });
  }
  return told;
}

type Names = { readonly from: string; readonly to: string };

function added(schema: JsonSchema, [next, ...rest]: readonly string[], names: Names): JsonSchema {
  const { oneOf, items, properties = {}, required } = schema;
  if (oneOf !== undefined) {
    const all = next === undefined ? [] : [next, ...rest];
    return { ...schema, oneOf: oneOf.map((one) => added(one, all, names)) };
  }
  if (items?.properties !== undefined) {
    const all = next === undefined ? [] : [next, ...rest];
    return { ...schema, items: added(items, all, names) };
  }
  const { from, to } = names;
  const inner = next === undefined ? undefined : properties[next];
  if (next !== undefined && inner !== undefined)
    return { ...schema, properties: { ...properties, [next]: added(inner, rest, names) } };
  if (next !== undefined || properties[to] === undefined) return schema;
  const other = { description: `Another name of \`${to}\`.` };
  return {
    ...schema,
    properties: { ...properties, [from]: other },
    ...(required !== undefined && { required: required.filter((member) => member !== to) }),
  };
}
