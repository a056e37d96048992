import { evaluateFound, evaluateValue, pathOf, type Slot } from "./evaluate-expression.ts";
import { Absent, type Found } from "./functions/template-function.ts";
import { isEmpty, isList, isMap, type Json, kindWords, membersOf, textOf } from "./json-value.ts";
import { RenderError } from "./render-work.ts";
import type { Rendering } from "./rendering.ts";
import type { TemplateBranch, TemplateNode } from "./template-nodes.ts";

/** A rendering, and what is written by it. */
export type Run = { readonly rendering: Rendering; readonly written: string[] };

type Block = Extract<TemplateNode, { kind: "block" }>;

/** Writes what nodes are with these values, and tells every fault. Throws TooMuchWork. */
export function runNodes(run: Run, nodes: readonly TemplateNode[]): void {
  const { rendering } = run;
  for (const node of nodes) {
    if (node.kind === "text") write(run, node.text);
    if (node.kind === "block") runBlock(run, node);
    if (node.kind === "set") {
      const found = rendering.guarded(() => evaluateValue(rendering, node.expression));
      setSlots(rendering, node.slots, { found, path: pathOf(rendering, node.expression) });
    }
    if (node.kind === "output") {
      const text = rendering.guarded(() =>
        textOfValue(rendering, evaluateValue(rendering, node.expression)),
      );
      if (text !== undefined) write(run, text);
    }
  }
}

function write({ rendering, written }: Run, text: string): void {
  rendering.work.write(text);
  written.push(text);
}

function textOfValue({ work }: Rendering, value: Json): string {
  if (isList(value) || isMap(value)) work.spendValue(value);
  return textOf(value);
}

const setSlots = ({ slots }: Rendering, names: readonly number[], slot: Slot): void => {
  for (const name of names) slots.set(name, slot);
};

/** The first branch that holds; none where it cannot be told which. */
function runBlock(run: Run, { branches }: Block): void {
  const { rendering } = run;
  for (const branch of branches) {
    const { expression } = branch;
    if (expression === undefined) {
      runNodes(run, branch.nodes);
      return;
    }
    const found = rendering.guarded(() => headOf(rendering, branch, expression));
    if (found === undefined) return;
    const path = pathOf(rendering, expression);
    setSlots(rendering, branch.slots, { found, path });
    if (found instanceof Absent || isEmpty(found)) continue;
    if (branch.word === "range") runLoop(run, branch, found, path);
    else {
      if (branch.dot !== undefined) rendering.slots.set(branch.dot, { found, path });
      runNodes(run, branch.nodes);
    }
    return;
  }
}

type Head = NonNullable<TemplateBranch["expression"]>;

function headOf(rendering: Rendering, { word }: TemplateBranch, expression: Head): Found {
  if (word !== "range") return evaluateFound(rendering, expression);
  const value = evaluateValue(rendering, expression);
  if (value === null || isList(value) || isMap(value)) return value;
  throw new RenderError(`range takes a list or a map, not ${kindWords(value)}`, expression.at);
}

function runLoop(
  run: Run,
  { slots, dot, nodes }: TemplateBranch,
  value: Json,
  path: readonly string[] | undefined,
): void {
  const { rendering } = run;
  const isOfList = isList(value);
  const members = isOfList ? value.entries() : isMap(value) ? membersOf(value) : [];
  const [first, second] = slots;
  for (const [key, found] of members) {
    rendering.work.spend(1);
    const one: Slot = { found, path: path && [...path, String(key)] };
    const named = second ?? first;
    if (named !== undefined) rendering.slots.set(named, one);
    if (first !== undefined && second !== undefined)
      rendering.slots.set(first, { found: key, path: undefined });
    if (dot !== undefined) rendering.slots.set(dot, one);
    runNodes(run, nodes);
  }
}
