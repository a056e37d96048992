import { type Brands, rootsOf } from "../../brands.ts";
import { mostKeys } from "./functions/template-function.ts";
import type { Expression } from "./parse-pipeline.ts";
import { parseTemplate } from "./parse-template.ts";
import { mayHaveStrayRoot, type StrayRoot, strayRootIn } from "./stray-roots.ts";
import type { Token } from "./template-actions.ts";
import type { TemplateBranch, TemplateDefinition, TemplateNode } from "./template-nodes.ts";
import { wholeSlot } from "./template-scopes.ts";

/** A path below `.svc` that a text reads. */
export type TemplateReference = { readonly path: readonly string[]; readonly at: number };
/** What a text's template reads, and why it is none. */
export type TemplateLook = {
  readonly references: readonly TemplateReference[];
  readonly faults: readonly { readonly at: number; readonly detail: string }[];
  readonly nodes: readonly TemplateNode[];
  /** What it reads as if it were of `.svc`, the first of each name. */
  readonly strays: readonly StrayRoot[];
};

/** What is known of a value: its path below the whole of what templates read; undefined: nothing. */
type Known = readonly string[] | undefined;
type Look = {
  readonly roots: ReadonlySet<string>;
  readonly references: TemplateReference[];
  /** What is known of each slot. */
  readonly known: Map<number, Known>;
  readonly called: Set<TemplateDefinition>;
};
type Call = Extract<TemplateNode, { kind: "call" }>;

/** What the actions of a text read of `.svc`, also by the names that brands give it, as far as it shows without any state. */
export function findReferences(text: string, brands: Brands = []): TemplateLook {
  const roots = new Set(rootsOf(brands));
  const strays = new Map<string, StrayRoot>();
  const other = (tokens: readonly Token[]): void => {
    const stray = strayRootIn(tokens);
    if (stray !== undefined && !strays.has(stray.root)) strays.set(stray.root, stray);
  };
  const by = mayHaveStrayRoot(text) ? { other } : {};
  const { nodes, faults } = parseTemplate(text, roots, by);
  const look: Look = {
    roots,
    references: [],
    known: new Map([[wholeSlot, []]]),
    called: new Set(),
  };
  readNodes(look, nodes);
  return { references: look.references, faults, nodes, strays: [...strays.values()] };
}

function readNodes(look: Look, nodes: readonly TemplateNode[]): void {
  for (const node of nodes) {
    if (node.kind === "output") readExpression(look, node.expression);
    if (node.kind === "set") {
      const known = readExpression(look, node.expression);
      for (const slot of node.slots) look.known.set(slot, look.known.has(slot) ? undefined : known); // which of both, who knows
    }
    if ("changes" in node && node.changes !== undefined)
      look.known.set(node.changes.slot, undefined);
    if (node.kind === "call") readCall(look, node);
    if (node.kind === "block") for (const branch of node.branches) readBranch(look, branch);
  }
}

/** What a template reads is looked at once; of its dot nothing is known, unless it is the whole. */
function readCall(look: Look, { called, expression }: Call): void {
  if (expression !== undefined) readExpression(look, expression);
  if (look.called.has(called)) return;
  look.called.add(called);
  readNodes(look, called.nodes);
}

function readBranch(look: Look, { word, expression, slots, dot, nodes }: TemplateBranch): void {
  const read = expression && readExpression(look, expression);
  const known = word === "range" ? undefined : read;
  for (const slot of slots) look.known.set(slot, known);
  if (dot !== undefined) look.known.set(dot, known);
  readNodes(look, nodes);
}

/** Notes what an expression reads, and answers what is known of its value. */
function readExpression(look: Look, expression: Expression): Known {
  const { at } = expression;
  if (expression.kind === "literal") return undefined;
  if (expression.kind === "path") {
    const base = look.known.get(expression.slot);
    return noted(look, base && [...base, ...expression.fields], at);
  }
  if (expression.kind === "fields") {
    const of = readExpression(look, expression.of);
    return noted(look, of && [...of, ...expression.fields], at);
  }
  const [first, ...keys] = expression.values;
  const values = expression.values.map((value) => readExpression(look, value));
  if (expression.name !== "index" || first === undefined) return undefined;
  const texts = keys.map((key) => (key.kind === "literal" ? String(key.value) : undefined));
  const isKnown = texts.every((text) => text !== undefined);
  return isKnown ? noted(look, values[0] && [...values[0], ...texts], at) : undefined;
}

function noted(look: Look, path: Known, at: number): Known {
  const [root, ...below] = path ?? [];
  if (below.length > mostKeys) return undefined;
  if (root !== undefined && look.roots.has(root)) look.references.push({ path: below, at });
  return path;
}
