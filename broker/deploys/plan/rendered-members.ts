import {
  isList,
  isMap,
  type Json,
  textOf,
} from "../../../shared/app-config/templates/json-value.ts";
import type { Members } from "./deploy-kind.ts";

/** What a template made of a text; undefined where the config has none. */
export const textIn = (value: Json | undefined): string | undefined =>
  value === undefined ? undefined : textOf(value);

/** The same of names with a text each; undefined where there are none. */
export function wordsIn(value: Json | undefined): Readonly<Record<string, string>> | undefined {
  const words = Object.entries(value !== undefined && isMap(value) ? value : {});
  if (words.length === 0) return undefined;
  return Object.fromEntries(words.map(([name, one]) => [name, textOf(one)]));
}

/** The same of a list of texts; undefined where the config has none. */
export const textsIn = (value: Json | undefined): readonly string[] | undefined =>
  value !== undefined && isList(value) ? value.map(textOf) : undefined;

/** The contents of files that a config has in a list; undefined where there are none. */
export function contentsIn(value: Json | undefined): readonly string[] | undefined {
  const files = value !== undefined && isList(value) ? value : [];
  if (files.length === 0) return undefined;
  return files.map((one) => textOf((isMap(one) ? one["contents"] : one) ?? ""));
}

/** Without the members that are undefined. */
export const defined = (members: Members): Members =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
