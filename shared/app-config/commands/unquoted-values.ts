import type { Brands } from "../../brands.ts";
import type {
  TemplateBranch,
  TemplateDefinition,
  TemplateNode,
} from "../templates/template-nodes.ts";
import { wholeSlot } from "../templates/template-scopes.ts";
import { ShellScript, type ShellPlace } from "./shell-place.ts";
import { below, type Effect, effectOf, type Known } from "./value-effect.ts";

/** A value of an install that a shell would read as a part of its script. */
export type UnquotedValue = { readonly at: number; readonly detail: string };

type Look = {
  readonly found: UnquotedValue[];
  readonly known: Map<number, Known>;
  readonly called: Set<TemplateDefinition>;
  readonly brands: Brands;
  readonly isShell: boolean;
  script: ShellScript;
};

type Call = Extract<TemplateNode, { kind: "call" }>;
type Output = Extract<TemplateNode, { kind: "output" }>;

/** The values in a command or script that somebody else decides and that are not quoted for its shell, as far as it shows. */
export function findUnquotedValues(
  text: string,
  nodes: readonly TemplateNode[],
  brands: Brands = [],
): readonly UnquotedValue[] {
  const whole: Known = { effect: "raw", path: [] };
  const known = new Map([[wholeSlot, whole]]);
  const look: Look = {
    found: [],
    known,
    brands,
    called: new Set(),
    isShell: isShell(text),
    script: new ShellScript(),
  };
  readNodes(look, nodes);
  return look.found;
}

/** The first line says what runs it; nothing there, bash does. */
function isShell(text: string): boolean {
  const [, line] = /^#!([^\n]*)/.exec(text) ?? [];
  return line === undefined || /(?:^|[/ ])(?:ba|da|a|k|z|mk)?sh(?:\s|$)/.test(line.trim());
}

function readNodes(look: Look, nodes: readonly TemplateNode[]): void {
  for (const node of nodes) {
    if (node.kind === "text") look.script.read(node.text);
    if (node.kind === "output") readOutput(look, node);
    if (node.kind === "set") {
      const value = valueOf(look, node.expression);
      for (const slot of node.slots) {
        const before = look.known.get(slot);
        look.known.set(slot, before === undefined ? value : either(before, value));
      }
    }
    if ("changes" in node && node.changes !== undefined) {
      const { slot } = node.changes;
      const before = look.known.get(slot) ?? { effect: "own", path: undefined };
      look.known.set(slot, either(before, valueOf(look, node.expression)));
    }
    if (node.kind === "call") readCall(look, node);
    if (node.kind === "block") readBlock(look, node.branches);
  }
}

/** What a template writes is looked at where it is called first. */
function readCall(look: Look, { called, expression }: Call): void {
  if (called.dot !== wholeSlot && expression !== undefined) {
    const before = look.known.get(called.dot);
    const value = valueOf(look, expression);
    look.known.set(called.dot, before === undefined ? value : either(before, value));
  }
  if (look.called.has(called)) return;
  look.called.add(called);
  readNodes(look, called.nodes);
}

/** Each way goes on from where the block begins; what comes after it goes on from the first. */
function readBlock(look: Look, branches: readonly TemplateBranch[]): void {
  const { script: begin } = look;
  let after: ShellScript | undefined;
  for (const { word, expression, slots, dot, nodes } of branches) {
    const read = expression && valueOf(look, expression);
    const value: Known | undefined = word === "range" ? read && below(read, [undefined]) : read;
    if (value !== undefined) for (const slot of slots) look.known.set(slot, value);
    if (value !== undefined && dot !== undefined) look.known.set(dot, value);
    look.script = begin.copy();
    readNodes(look, nodes);
    after ??= look.script;
  }
  look.script = after ?? begin;
}

function readOutput(look: Look, { expression }: Output): void {
  const { effect, path, from } = valueOf(look, expression);
  const { place } = look.script;
  look.script.passValue();
  const why = whyUnquoted(look, effect, place);
  if (why === undefined) return;
  const named = path ?? from;
  const value = named === undefined ? "a value of the install" : ["", ...named].join(".");
  look.found.push({ at: expression.at, detail: `${value} ${why}` });
}

const instead = "give it in env_vars and write it as a variable in double quotes";

function whyUnquoted(look: Look, effect: Effect, place: ShellPlace): string | undefined {
  if (effect === "own" || effect === "inert") return undefined;
  if (!look.isShell) return `stands in a script that it can change: ${instead}`;
  const where = place === "plain" ? "" : ` ${place}`;
  if (effect === "raw")
    return `stands${where} where the shell reads it as a part of the command: ${instead}, or pipe it to shellquote outside of other quotes`;
  if (place === "plain") return undefined;
  return `stands${where}, where shellquote does not protect it: take it out of there, or ${instead}`;
}

const valueOf = (look: Look, expression: Output["expression"]): Known =>
  effectOf(expression, ({ slot, fields }) => {
    const known = look.known.get(slot) ?? { effect: "raw", path: undefined };
    if (fields.length === 0) return known;
    const [root = "", ...path] = fields;
    const isBrand = slot === wholeSlot && look.brands.includes(root);
    return below(known, isBrand ? ["svc", ...path] : fields);
  });

const either = (a: Known, b: Known): Known => {
  const [first, second] = [effects.indexOf(a.effect), effects.indexOf(b.effect)];
  return { ...(first > second ? a : b), path: undefined };
};
const effects: readonly Effect[] = ["own", "inert", "quoted", "raw"];
