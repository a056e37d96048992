import { isKeptNumber } from "../../parse-exactly.ts";
import { canonicalJson } from "../canonical-json.ts";

/** What templates read and write. Large whole numbers may be those of `parseExactly`. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [name: string]: Json };

/** Whether a value is a map. */
export const isMap = (value: Json): value is JsonObject =>
  typeof value === "object" && value !== null && !isList(value) && !isKeptNumber(value);

/** Whether a value is a list. */
export const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

/** Whether a value is a number, also one that JavaScript would round. */
export const isNumber = (value: Json): boolean => typeof value === "number" || isKeptNumber(value);

/** What counts as nothing: null, false, 0, the empty text, list and map. */
export function isEmpty(value: Json): boolean {
  if (isList(value)) return value.length === 0;
  if (isMap(value)) return hasNoMembers(value);
  return value === null || value === false || value === 0 || value === "";
}

/** Without a look at all of them. */
function hasNoMembers(map: JsonObject): boolean {
  for (const name in map) if (Object.hasOwn(map, name)) return false;
  return true;
}

/** The kind of a value, for people. Never the value: it may be a secret. */
export function kindWords(value: Json): string {
  if (value === null) return "null";
  if (isNumber(value)) return "a number";
  if (typeof value === "string") return "a text";
  if (typeof value === "boolean") return "true or false";
  return isList(value) ? "a list" : "a map";
}

/** A value within a text: null is nothing, lists and maps are JSON with their keys in order. */
export function textOf(value: Json): string {
  if (value === null) return "";
  return typeof value === "string" ? value : jsonOf(value);
}

/** A value as JSON with the keys of maps in order: equal values are equal texts. */
export const jsonOf = (value: Json): string =>
  isKeptNumber(value) ? JSON.stringify(value) : canonicalJson(value);

/** A map's members in the order of their names. */
export const membersOf = (map: JsonObject): [string, Json][] =>
  Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1));
