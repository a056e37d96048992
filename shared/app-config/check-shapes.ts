import type { z } from "zod";
import {
  type ConfigFaultCode,
  configFaultCodes,
  configLimits,
  type FoundFault,
  type Path,
} from "./config-fault.ts";
import type { AppConfigDocument } from "./config-files.ts";
import { schemaAt } from "./config-schemas.ts";
import type { JsonSchema } from "./json-schema.ts";
import { parseConfig } from "./parse-config.ts";
import type { RawConfig } from "./raw-config.ts";
import type { Meant } from "./rules/make-meant.ts";

type Checked = { readonly document: AppConfigDocument | undefined; readonly faults: FoundFault[] };
type Checking = { readonly tree: unknown; readonly meant: Meant };
type Told = { readonly path: Path; readonly code: ConfigFaultCode; readonly detail: string };

/** Checks members, types, bounds and enumerations: every fault, and the document if there is none. */
export function checkShapes({ tree, faultAt }: RawConfig, meant: Meant): Checked {
  const read = parseConfig(tree);
  if (read.document !== undefined) return { document: read.document, faults: [] };
  const told = read.issues
    .slice(0, configLimits.counted)
    .flatMap((issue) => toldBy({ tree, meant }, issue))
    .slice(0, configLimits.counted);
  const isTold = tree["metadata"] === undefined; // as a file that is missing
  const known = told.filter(({ path }) => !(isTold && path[0] === "metadata"));
  return {
    document: undefined,
    faults: known.map(({ path, code, detail }) => faultAt(path, code, detail)),
  };
}

function toldBy(checking: Checking, issue: z.core.$ZodIssue): Told[] {
  const { tree } = checking;
  const path = issue.path.map((key) => (typeof key === "symbol" ? String(key) : key));
  const value = valueAt(tree, path);
  const isMissing = value === undefined && issue.code !== "custom";
  if (issue.code === "invalid_union" && isByType(tree, path)) return [wrongType(checking, path)];
  if (isMissing || issue.code === "invalid_type" || issue.code === "invalid_value")
    return [wrongValue(checking, path)];
  if (issue.code === "invalid_union")
    return [{ path, code: "wrong_type", detail: `${nameOf(path)} ${issue.message}` }];
  if (issue.code === "invalid_key") {
    const why = issue.issues[0]?.message ?? issue.message;
    return [{ path, code: "bad_value", detail: `the key ${nameOf(path)} ${why}` }];
  }
  const code = codeOf(issue) ?? "bad_value";
  return [{ path, code, detail: `${nameOf(path)} ${issue.message}` }];
}

/** Whether it is the `type` by which the schema of the table around it is chosen. */
const isByType = (tree: unknown, path: Path): boolean =>
  path.at(-1) === "type" && schemaAt(path.slice(0, -1), tree) === undefined;

function codeOf(issue: z.core.$ZodIssue): ConfigFaultCode | undefined {
  const code: unknown = issue.code === "custom" ? issue.params?.["code"] : undefined;
  return configFaultCodes.find((one) => one === code);
}

/** A name of a path's end that people know: the nearest member, and which element of it. */
function nameOf(path: Path): string {
  const last = path.at(-1);
  if (typeof last !== "number") return last ?? "the config";
  return `${nameOf(path.slice(0, -1))}[${last}]`;
}

/** A value that is missing, of another type, or none of the words that are allowed. */
function wrongValue({ tree, meant }: Checking, path: Path): Told {
  const value = valueAt(tree, path);
  const schema = schemaAt(path, tree);
  const words = schema?.enum ?? (schema?.const === undefined ? undefined : [schema.const]);
  const detail = `${nameOf(path)} must be ${wordsOf(schema)}`;
  if (value === undefined)
    return {
      path,
      code: "missing_key",
      detail: `${nameOf(path)} is missing: it must be ${wordsOf(schema)}`,
    };
  if (words === undefined || typeof value !== "string")
    return { path, code: "wrong_type", detail: `${detail}, not ${typeWords(value)}` };
  return { path, code: "bad_value", detail: `${detail}${meant(value, words.map(String))}` };
}

/** The `type` that says which of several tables this is. */
function wrongType({ tree, meant }: Checking, path: Path): Told {
  const types = (schemaOfUnion(tree, path)?.oneOf ?? []).flatMap(({ properties }) => {
    const { const: only, enum: words } = properties?.["type"] ?? {};
    return words ?? [only];
  });
  const value = valueAt(tree, path);
  const allowed = `must be one of ${types.join(", ")}`;
  if (value === undefined)
    return { path, code: "missing_key", detail: `type is missing: it ${allowed}` };
  if (typeof value !== "string") return { path, code: "wrong_type", detail: `type ${allowed}` };
  return { path, code: "bad_value", detail: `type ${allowed}${meant(value, types.map(String))}` };
}

function schemaOfUnion(tree: unknown, path: Path): JsonSchema | undefined {
  return schemaAt(path.slice(0, -2), tree)?.items;
}

function wordsOf(schema: JsonSchema | undefined): string {
  if (schema?.enum !== undefined) return `one of ${schema.enum.map(quoted).join(", ")}`;
  return typeWordsOf[schema?.type ?? ""] ?? "given";
}

const quoted = (word: unknown): string => (word === "" ? '""' : String(word));

const typeWordsOf: Readonly<Record<string, string>> = {
  string: "a text",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "a table",
};

function typeWords(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (value instanceof Date) return "a date; write it as a text";
  if (typeof value === "number") return Number.isInteger(value) ? "a whole number" : "a number";
  return (
    { string: "a text", boolean: "true or false", object: "a table" }[typeof value as string] ??
    "that"
  );
}

function valueAt(tree: unknown, path: Path): unknown {
  let at = tree;
  for (const key of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string | number, unknown>)[key];
  }
  return at;
}
