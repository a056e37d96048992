import type { Brands } from "../brands.ts";
import { type ConfigFaultCode, configLimits, type Path } from "./config-fault.ts";
import {
  isTable,
  nameKey,
  type Names,
  namesAt,
  tablesAt,
  tablesOf,
  type Tell,
  textIn,
  toNames,
} from "./rules/rule.ts";
import { type ConfigNames, whyUnreadable } from "./rules/why-unreadable.ts";
import { findReferences } from "./templates/find-references.ts";
import type { StrayRoot } from "./templates/stray-roots.ts";
import type { TemplateNode } from "./templates/template-nodes.ts";

/** What one text of a config reads. */
export type ConfigReference = { readonly at: Path; readonly path: readonly string[] };

/** A text of a config with templates in it, as it was parsed. */
export type ConfigTemplate = {
  readonly path: Path;
  readonly text: string;
  readonly nodes: readonly TemplateNode[];
  readonly brands: Brands;
  readonly strays: readonly StrayRoot[];
  /** In words, which line of it a place is in. */
  readonly line: (at: number) => string;
};

type Looking = {
  /** Gets each text that is a template. */
  readonly look?: (template: ConfigTemplate) => void;
  /** The one member of the config whose texts are read, with what all of it has by name. */
  readonly only?: string;
};

/**
 * Parses every template of a config, tells what is wrong, and answers which components and inputs they read, each once for
 * a thing of the config.
 */
export function readReferences(
  tree: unknown,
  tell: Tell,
  { look = () => {}, only }: Looking = {},
): ConfigReference[] {
  const reading: Reading = {
    names: namesOf(tree, tell),
    inputs: runbookInputs(tree),
    tell,
    told: 0,
  };
  const kept = new Kept(reading.names);
  let templates = 0;
  const texts =
    only === undefined ? textsIn(tree, []) : textsIn(isTable(tree) && tree[only], [only]);
  for (const { path, text } of texts) {
    templates += countOf(text);
    if (templates > configLimits.templates) {
      const detail = `has more templates than a config may have with all its texts: at most ${configLimits.templates}`;
      tell(path, "config_too_costly", `${nameOfText(path)} ${detail}`);
      break;
    }
    if (reading.told >= configLimits.counted) break;
    readText(reading, { path, text, kept, look });
  }
  return kept.references;
}

type Reading = {
  readonly names: Omit<ConfigNames, "runbook-input">;
  readonly inputs: ReadonlyMap<string | number | undefined, Names>;
  readonly tell: Tell;
  told: number;
};
type Text = {
  readonly path: Path;
  readonly text: string;
  readonly kept: Kept;
  readonly look: (template: ConfigTemplate) => void;
};

function readText(reading: Reading, { path, text, kept, look }: Text): void {
  const { brands } = reading.tell;
  const { references, faults, nodes, strays } = findReferences(text, brands);
  const member = nameOfText(path);
  const line = lineWords(text);
  const tell = (code: ConfigFaultCode, at: number, words: string): void => {
    reading.told++;
    reading.tell(path, code, `${member}${line(at)}: ${words}`);
  };
  if (faults.length === 0) look({ path, text, nodes, brands, strays, line });
  for (const { at, detail } of faults) tell("bad_template", at, detail);
  const ofRunbook = path[0] === "runbooks" ? reading.inputs.get(path[1]) : undefined;
  const names = { ...reading.names, "runbook-input": ofRunbook };
  const told = new Set<string>();
  for (const { at, path: read } of references) {
    kept.add(path, read);
    const why = whyUnreadable(read, names);
    if (why === undefined || told.has(why)) continue;
    told.add(why);
    tell("reference_unknown", at, `.svc.${read.join(".")}: ${why}`);
  }
}

/** What things of a config read of components and inputs, each once: texts of a thing come one after the other. */
class Kept {
  readonly references: ConfigReference[] = [];
  readonly #names: Pick<ConfigNames, "component" | "input">;
  #seen = new Set<string>();
  #thing: Path = [];

  constructor(names: Pick<ConfigNames, "component" | "input">) {
    this.#names = names;
  }

  add(at: Path, [first = "", second, third]: readonly string[]): void {
    if (at[0] !== this.#thing[0] || at[1] !== this.#thing[1]) this.#seen = new Set();
    this.#thing = at;
    const { component, input } = this.#names;
    const isComponent = first === "components" && second !== undefined;
    const isInput = second === "inputs" && (first === "inputs" || first === "install");
    const [known, name] = isComponent ? [component, second] : [input, third];
    if (!isComponent && !isInput) return;
    if (name !== undefined && !known.keys.has(nameKey(name))) return;
    const path = [first, second ?? "", ...(isInput && third !== undefined ? [third] : [])];
    const key = path.join(" ");
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.references.push({ at, path });
  }
}

function countOf(text: string): number {
  let count = 0;
  for (let at = text.indexOf("{{"); at !== -1; at = text.indexOf("{{", at + 2)) count++;
  return count;
}

function namesOf(tree: unknown, { meant }: Tell): Omit<ConfigNames, "runbook-input"> {
  const aliases = tablesAt(tree, "components").flatMap((one) => textIn(one, "var_name") ?? []);
  const has = (section: string): boolean => isTable(tree) && tree[section] !== undefined;
  return {
    input: toNames(namesAt(tree, "inputs", "input")),
    component: toNames([...namesAt(tree, "components"), ...aliases]),
    action: toNames(namesAt(tree, "actions")),
    secret: toNames(namesAt(tree, "secrets", "secret")),
    hasSandbox: has("sandbox"),
    meant,
  };
}

/** By the places of their runbooks. */
const runbookInputs = (tree: unknown): Map<string | number | undefined, Names> =>
  new Map(
    tablesAt(tree, "runbooks").map((runbook) => {
      const inputs = tablesOf(runbook, "input");
      return [runbook.path[1], toNames(inputs.flatMap((one) => textIn(one, "name") ?? []))];
    }),
  );

/** Every text of a value that may hold a template. */
function* textsIn(value: unknown, path: Path): Generator<{ path: Path; text: string }> {
  if (typeof value === "string") {
    if (value.includes("{{")) yield { path, text: value };
  } else if (Array.isArray(value)) {
    for (const [at, one] of value.entries()) if (mayHold(one)) yield* textsIn(one, [...path, at]);
  } else if (isTable(value)) {
    for (const [key, one] of Object.entries(value))
      if (mayHold(one)) yield* textsIn(one, [...path, key]);
  }
}

const mayHold = (value: unknown): boolean =>
  typeof value === "string" ? value.includes("{{") : typeof value === "object";

const nameOfText = (path: Path): string => {
  const name = path.findLast((key) => typeof key === "string") ?? "a text";
  return name.length > mostOfName ? `${name.slice(0, mostOfName)}…` : name;
};
const mostOfName = 100;

/** Says which line of a text a place is in; what is between it and the place before is read, no more. */
function lineWords(text: string): (at: number) => string {
  const isOne = !text.includes("\n");
  let [before, line] = [0, 1];
  return (at) => {
    if (isOne) return "";
    line += at < before ? -linesIn(text, at, before) : linesIn(text, before, at);
    before = at;
    return `, line ${line} of the text`;
  };
}

function linesIn(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) if (text.charCodeAt(at) === newline) count++;
  return count;
}

const newline = 0x0a;
