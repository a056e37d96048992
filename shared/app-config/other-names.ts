import type { FoundFault, Path } from "./config-fault.ts";
import type { Origins } from "./origins.ts";
import { isTable } from "./rules/rule.ts";

/** A member that may be written by another name: both are read, one is kept. */
export type OtherName = {
  /** The members around it, from the section on; through lists, too. */
  readonly at: readonly string[];
  readonly from: string;
  readonly to: string;
  /** What is meant by a value; undefined for one that is none. */
  readonly as?: (value: unknown) => unknown;
};

const whoGives = (value: unknown): unknown =>
  typeof value === "boolean" ? (value ? "customer" : "vendor") : undefined;
/** The text itself, as URLs and what has several lines are, is no path. */
const pathOf = (value: unknown): unknown =>
  typeof value === "string" && !/^(?:\.{0,2}\/|[a-z]+:)|\n/i.test(value) ? `./${value}` : value;
const namesIn = (value: unknown): unknown =>
  Array.isArray(value)
    ? (value as unknown[]).map((one) => (isTable(one) ? one["name"] : one))
    : value;

const roles = [
  ["permissions", "provision_role"],
  ["permissions", "deprovision_role"],
  ["permissions", "maintenance_role"],
  ["permissions", "custom_roles"],
  ["break_glass", "role"],
];

export const otherNames: readonly OtherName[] = [
  { at: ["inputs", "input"], from: "user_configurable", to: "source", as: whoGives },
  { at: ["components", "aws_ecr"], from: "region", to: "aws_region" },
  { at: ["components", "gcp_gar"], from: "region", to: "gcp_region" },
  { at: ["components", "values_file"], from: "path", to: "contents", as: pathOf },
  { at: ["components", "values_file"], from: "source", to: "contents", as: pathOf },
  { at: ["actions"], from: "break_glass_role", to: "role" },
  { at: ["runbooks", "steps"], from: "action_name", to: "action" },
  { at: ["branches"], from: "run", to: "run_config" },
  { at: ["branches"], from: "preview", to: "preview_config" },
  { at: ["kubernetes_contexts"], from: "kubernetes_context", to: "context" },
  { at: ["kubernetes_contexts", "context"], from: "component", to: "source_component_name" },
  ...roles.map((at) => ({ at, from: "named_policies", to: "named_policy_names", as: namesIn })),
];

type Table = Record<string, unknown>;

/** Gives members of a tree the names that are kept; tells those that are there by two names and differ. */
export function giveNames(tree: object, origins: Origins): FoundFault[] {
  const faults: FoundFault[] = [];
  for (const name of otherNames)
    for (const at of tablesAlong(tree, [], name.at)) faults.push(...giveName(name, at, origins));
  return faults;
}

function giveName(
  { from, to, as }: OtherName,
  { table, path }: At,
  origins: Origins,
): FoundFault[] {
  const given = table[from];
  if (given === undefined) return [];
  delete table[from];
  const at = [...path, from];
  const value = as === undefined ? given : as(given);
  const told = (code: "one_of" | "wrong_type", detail: string): FoundFault[] => [
    origins.faultAt(at, { code, detail }),
  ];
  if (value === undefined) return told("wrong_type", `${from} must be true or false`);
  if (table[to] === undefined) {
    table[to] = value;
    const origin = origins.find(at);
    if (origin !== undefined) origins.add([...path, to], origin);
    return [];
  }
  if (JSON.stringify(table[to]) === JSON.stringify(value)) return [];
  return told("one_of", `${from} and ${to} are two names of one member, and differ: give one`);
}

type At = { readonly table: Table; readonly path: Path };

function* tablesAlong(
  value: unknown,
  path: Path,
  [next, ...rest]: readonly string[],
): Generator<At> {
  if (Array.isArray(value)) {
    const all = next === undefined ? [] : [next, ...rest];
    for (const [nth, one] of value.entries()) yield* tablesAlong(one, [...path, nth], all);
  } else if (!isTable(value)) return;
  else if (next === undefined) yield { table: value, path };
  else if (value[next] !== undefined) yield* tablesAlong(value[next], [...path, next], rest);
}
