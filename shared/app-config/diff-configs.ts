import { canonicalJson } from "./canonical-json.ts";
import type { AppConfigDocument } from "./config-files.ts";
import { isTable } from "./rules/rule.ts";

/** One thing that is not the same in two configs. */
export type ConfigChange = {
  readonly section: string;
  /** Empty for a section whose parts have no names. */
  readonly name: string;
  readonly change: "added" | "changed" | "removed";
  readonly members: string[];
};

/** What the second config has otherwise than the first; in the order of sections and names. */
export function diffConfigs(
  before: AppConfigDocument | undefined,
  after: AppConfigDocument,
): ConfigChange[] {
  const [old, now] = [thingsOf(before ?? {}), thingsOf(after)];
  const keys = [...new Set([...old.keys(), ...now.keys()])].sort();
  return keys.flatMap((key) => changeOf(key, old.get(key), now.get(key)));
}

function changeOf(key: string, old: unknown, now: unknown): ConfigChange[] {
  const [section = "", name = ""] = key.split("\n");
  if (now === undefined) return [{ section, name, change: "removed", members: [] }];
  if (old === undefined) return [{ section, name, change: "added", members: [] }];
  if (canonicalJson(old) === canonicalJson(now)) return [];
  const [was, is] = [isTable(old) ? old : {}, isTable(now) ? now : {}];
  const members = [...new Set([...Object.keys(was), ...Object.keys(is)])].sort();
  const changed = members.filter(
    (member) => canonicalJson(was[member]) !== canonicalJson(is[member]),
  );
  return [{ section, name, change: "changed", members: changed }];
}

/** What has a name by its section and name; of a section the rest by the section. */
function thingsOf(document: object): Map<string, unknown> {
  const things = new Map<string, unknown>();
  for (const [section, value] of Object.entries(document) as [string, unknown][]) {
    if (Array.isArray(value)) addNamed(things, section, value);
    else if (isTable(value)) addMembers(things, section, value);
  }
  return things;
}

function addMembers(things: Map<string, unknown>, section: string, table: object): void {
  const rest: [string, unknown][] = [];
  for (const [member, value] of Object.entries(table) as [string, unknown][]) {
    const list = Array.isArray(value) ? (value as unknown[]) : [];
    const isNamed = list.every((one) => nameOf(one) !== undefined);
    if (list.length > 0 && isNamed) addNamed(things, `${section}.${member}`, list);
    else rest.push([member, value]);
  }
  if (rest.length > 0) things.set(section, Object.fromEntries(rest));
}

function addNamed(things: Map<string, unknown>, section: string, list: readonly unknown[]): void {
  for (const one of list) things.set(`${section}\n${nameOf(one) ?? ""}`, one);
}

/** What is fetched is called by its URL. */
function nameOf(one: unknown): string | undefined {
  const name = isTable(one) ? (one["name"] ?? one["url"]) : undefined;
  return typeof name === "string" ? name : undefined;
}
