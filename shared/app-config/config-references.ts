import type { Path } from "./config-fault.ts";
import { isTable, nameKey, namesAt, tablesAt, tablesOf, type Tell, textIn } from "./rules/rule.ts";
import { type ConfigNames, whyUnreadable } from "./rules/why-unreadable.ts";
import { findReferences } from "./templates/find-references.ts";
import type { TemplateNode } from "./templates/template-nodes.ts";

/** What one text of a config reads. */
export type ConfigReference = { readonly at: Path; readonly path: readonly string[] };

/** A text of a config with templates in it, as it was parsed. */
export type ConfigTemplate = {
  readonly path: Path;
  readonly text: string;
  readonly nodes: readonly TemplateNode[];
  /** In words, which line of it a place is in. */
  readonly line: (at: number) => string;
};

/** Parses every template of a config, tells what is wrong, and answers what they read; each that is one is looked at once. */
export function readReferences(
  tree: unknown,
  tell: Tell,
  look: (template: ConfigTemplate) => void = () => {},
): ConfigReference[] {
  const names = { ...namesOf(tree), meant: tell.meant };
  const found: ConfigReference[] = [];
  for (const { path, text } of textsIn(tree, [])) {
    const { references, faults, nodes } = findReferences(text);
    const member = nameOfText(path);
    const line = (at: number): string => lineWords(text, at);
    if (faults.length === 0) look({ path, text, nodes, line });
    for (const { at, detail } of faults)
      tell(path, "bad_template", `${member}${line(at)}: ${detail}`);
    const own = { ...names, "runbook-input": runbookInputs(tree, path) };
    const told = new Set<string>();
    for (const { at, path: read } of references) {
      found.push({ at: path, path: read });
      const why = whyUnreadable(read, own);
      if (why === undefined || told.has(why)) continue;
      told.add(why);
      tell(path, "reference_unknown", `${member}${line(at)}: .svc.${read.join(".")}: ${why}`);
    }
  }
  return found;
}

/** Whether a config has a component, action, input … by the name that templates use. */
export function componentOf(tree: unknown, key: string): string | undefined {
  const found = tablesAt(tree, "components").find((one) =>
    ["name", "var_name"].some((member) => nameKey(textIn(one, member) ?? "") === nameKey(key)),
  );
  return found && textIn(found, "name");
}

function namesOf(tree: unknown): Omit<ConfigNames, "runbook-input" | "meant"> {
  const aliases = tablesAt(tree, "components").flatMap((one) => textIn(one, "var_name") ?? []);
  const has = (section: string): boolean => isTable(tree) && tree[section] !== undefined;
  return {
    input: namesAt(tree, "inputs", "input"),
    component: [...namesAt(tree, "components"), ...aliases],
    action: namesAt(tree, "actions"),
    secret: namesAt(tree, "secrets", "secret"),
    hasSandbox: has("sandbox"),
    hasStack: has("stack"),
  };
}

function runbookInputs(tree: unknown, [section, at]: Path): readonly string[] | undefined {
  const runbook =
    section === "runbooks"
      ? tablesAt(tree, "runbooks").find((one) => one.path[1] === at)
      : undefined;
  return runbook && tablesOf(runbook, "input").flatMap((one) => textIn(one, "name") ?? []);
}

/** Every text of a value that may hold a template. */
function* textsIn(value: unknown, path: Path): Generator<{ path: Path; text: string }> {
  if (typeof value === "string") {
    if (value.includes("{{")) yield { path, text: value };
  } else if (Array.isArray(value)) {
    for (const [at, one] of value.entries()) yield* textsIn(one, [...path, at]);
  } else if (isTable(value)) {
    for (const [key, one] of Object.entries(value)) yield* textsIn(one, [...path, key]);
  }
}

const nameOfText = (path: Path): string =>
  path.findLast((key) => typeof key === "string") ?? "a text";

function lineWords(text: string, at: number): string {
  const line = text.slice(0, at).split("\n").length;
  return text.includes("\n") ? `, line ${line} of the text` : "";
}
