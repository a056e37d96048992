import type { Brands } from "../../brands.ts";
import type { ConfigFaultCode, Path } from "../config-fault.ts";
import type { Meant } from "./make-meant.ts";

/** A table of the tree and where it is. */
export type Found = { readonly path: Path; readonly value: Readonly<Record<string, unknown>> };

/** One rule about a config beyond the types of its members. The tree may hold anything. */
export type Rule = (tree: unknown, tell: Tell) => void;
export type Tell = ((path: Path, code: ConfigFaultCode, detail: string) => void) & {
  readonly meant: Meant;
  /** Those with which the config is read. */
  readonly brands: Brands;
};

/** The tables of the list at a path of members; none where there is no list. */
export function tablesAt(tree: unknown, ...members: readonly string[]): Found[] {
  return tablesIn(valueAt(tree, members), members);
}

/** The tables of a list that is a member of a table. */
export const tablesOf = ({ path, value }: Found, member: string): Found[] =>
  tablesIn(value[member], [...path, member]);

/** The table at a path of members, if one is there. */
export function tableAt(tree: unknown, ...path: readonly string[]): Found | undefined {
  const value = valueAt(tree, path);
  return isTable(value) ? { path, value } : undefined;
}

/** The text of a member, if it is one. */
export function textIn({ value }: Found, member: string): string | undefined {
  const found = value[member];
  return typeof found === "string" ? found : undefined;
}

/** The texts of a list of texts, with their paths. */
export function textsOf({ path, value }: Found, member: string): { path: Path; text: string }[] {
  const found = value[member];
  if (!Array.isArray(found)) return [];
  return (found as unknown[]).flatMap((text, at) =>
    typeof text === "string" ? [{ path: [...path, member, at], text }] : [],
  );
}

/** Names that differ only by `-` and `_` are equal. */
export const nameKey = (name: string): string => name.replaceAll("-", "_");

/** Names, to look one up among them in one step. */
export type Names = { readonly all: readonly string[]; readonly keys: ReadonlySet<string> };

/** Makes names of a list that is looked at often. */
export const toNames = (all: readonly string[]): Names => ({
  all,
  keys: new Set(all.map(nameKey)),
});

/** The names of the tables of a list. */
export const namesAt = (tree: unknown, ...members: readonly string[]): string[] =>
  tablesAt(tree, ...members).flatMap((one) => textIn(one, "name") ?? []);

/** Whether a value is a table. */
export function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date)
  );
}

function tablesIn(list: unknown, path: Path): Found[] {
  if (!Array.isArray(list)) return [];
  return (list as unknown[]).flatMap((value, at) =>
    isTable(value) ? [{ path: [...path, at], value }] : [],
  );
}

function valueAt(tree: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => (isTable(at) ? at[key] : undefined), tree);
}
