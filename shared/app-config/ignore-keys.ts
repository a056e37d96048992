import { stepsBetween } from "../steps-between.ts";
import { configLimits, type FoundFault, type Path } from "./config-fault.ts";
import { chosen, inner, treeSchema } from "./config-schemas.ts";
import type { JsonSchema } from "./json-schema.ts";
import type { Origins } from "./origins.ts";
import type { Meant } from "./rules/make-meant.ts";
import { isTable } from "./rules/rule.ts";

/** Members that no schema has: those that are passed over, and those that are a required one misspelt. */
export type Ignored = { readonly ignored: FoundFault[]; readonly faults: FoundFault[] };

type Ignoring = Ignored & { readonly origins: Origins; readonly meant: Meant };
type Table = Record<string, unknown>;

/** Takes out of a tree the members that no schema has, and tells each. */
export function ignoreKeys(tree: object, origins: Origins, meant: Meant): Ignored {
  const ignoring: Ignoring = { ignored: [], faults: [], origins, meant };
  walk(ignoring, treeSchema(), { value: tree, path: [] });
  return ignoring;
}

type At = { readonly value: unknown; readonly path: Path };

function walk(ignoring: Ignoring, schema: JsonSchema | undefined, { value, path }: At): void {
  if (!isOpen(value) || schema === undefined) return;
  const own = chosen(schema, value);
  if (own === undefined) return;
  if (Array.isArray(value)) {
    if (own.items === undefined) return;
    for (const [nth, one] of value.entries())
      if (isOpen(one)) walk(ignoring, own.items, { value: one, path: [...path, nth] });
  } else if (isTable(value) && own.type === "object") walkTable(ignoring, own, { value, path });
}

function walkTable(ignoring: Ignoring, own: JsonSchema, { value, path }: At): void {
  if (own.properties === undefined && hasNoMembers(own.additionalProperties)) return;
  const table = value as Table; // a value that is read, as a whole ours
  const missing = (own.required ?? []).filter((member) => table[member] === undefined);
  for (const key of Object.keys(table)) {
    const below = inner(own, key);
    const one = table[key];
    if (below !== undefined) {
      if (isOpen(one)) walk(ignoring, below, { value: one, path: [...path, key] });
    } else if (own.additionalProperties === false) {
      tell(ignoring, [...path, key], { key, known: Object.keys(own.properties ?? {}), missing });
      delete table[key];
    }
  }
}

/** What has members: most values of a large config have none, and need no path. */
const isOpen = (value: unknown): value is object => typeof value === "object" && value !== null;

/** Of names and values of one's own, whatever they are, there is nothing to know. */
const hasNoMembers = (others: JsonSchema["additionalProperties"]): boolean =>
  typeof others === "object" &&
  chosen(others, {}) === others &&
  others.type !== "object" &&
  others.type !== "array";

type Unknown = {
  readonly key: string;
  readonly known: readonly string[];
  readonly missing: readonly string[];
};

function tell({ ignored, faults, origins, meant }: Ignoring, path: Path, unknown: Unknown): void {
  const { key, known } = unknown;
  const needed = neededBy(unknown);
  const list = needed === undefined ? ignored : faults;
  if (list.length >= configLimits.counted) return;
  const words = meant(key, known) || `; known are ${known.join(", ")}`;
  const hint = needed === undefined ? words : `; did you mean ${needed}, which is missing?`;
  const code = needed === undefined ? "ignored_key" : "unknown_key";
  list.push(origins.faultAt(path, { code, detail: `${key} is not known here${hint}` }));
}

const mostLetters = 64;
const mostSteps = 2;

/** The required member that is missing, and nearer to this key than any other. */
function neededBy({ key, known, missing }: Unknown): string | undefined {
  if (missing.length === 0 || key.length > mostLetters) return undefined;
  const isWithin = (word: string, most: number): boolean =>
    Math.abs(word.length - key.length) <= most && stepsBetween(key, word) <= most;
  const near = missing.find((word) => isWithin(word, mostSteps));
  if (near === undefined) return undefined;
  const nearer = stepsBetween(key, near) - 1;
  return known.some((word) => isWithin(word, nearer)) ? undefined : near;
}
