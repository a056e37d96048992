import { isMap, type Json } from "./json-value.ts";
import type { RenderWork } from "./render-work.ts";

/** A map's own member of this name, or of one in which - and _ are changed; undefined where there is none. */
export function memberOf(value: Json, key: string, work: RenderWork): Json | undefined {
  const name = memberName(value, key, work);
  return name === undefined ? undefined : memberNamed(value, name);
}

/** The name of that member as the map has it. */
export function memberName(value: Json, key: string, work: RenderWork): string | undefined {
  if (!isMap(value)) return undefined;
  if (Object.hasOwn(value, key)) return key;
  const keys = Object.keys(value);
  work.spend(Math.ceil(keys.length / 8));
  return keys.filter((one) => keyOf(one) === keyOf(key)).toSorted()[0];
}

/** The member of this very name, or of this number, which is there. */
export function memberNamed(value: Json, name: string | number): Json {
  const members = value as { readonly [name: string | number]: Json }; // or nothing would be named so
  return members[name] ?? null;
}

const keyOf = (name: string): string => name.replaceAll("-", "_");
