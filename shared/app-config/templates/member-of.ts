import { isMap, type Json } from "./json-value.ts";
import type { RenderWork } from "./render-work.ts";

/** A map's own member of this name, or of one in which - and _ are changed; undefined where there is none. */
export function memberOf(value: Json, key: string, work: RenderWork): Json | undefined {
  if (!isMap(value)) return undefined;
  if (Object.hasOwn(value, key)) return value[key];
  const keys = Object.keys(value);
  work.spend(Math.ceil(keys.length / 8));
  const alike = keys.filter((one) => keyOf(one) === keyOf(key)).toSorted();
  return alike[0] === undefined ? undefined : value[alike[0]];
}

const keyOf = (name: string): string => name.replaceAll("-", "_");
