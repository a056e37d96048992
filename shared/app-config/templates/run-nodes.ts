import { changeSlot } from "./change-slot.ts";
import { evaluateFound, evaluateValue, pathOf, type Slot } from "./evaluate-expression.ts";
import { Absent, type Evaluated } from "./functions/template-function.ts";
import { isEmpty, isList, isMap, type Json, kindWords, membersOf, textOf } from "./json-value.ts";
import { RenderError } from "./render-work.ts";
import type { Rendering } from "./rendering.ts";
import { slotsSetIn } from "./slots-set-in.ts";
import { memberTaint, sensitiveTexts } from "./taint.ts";
import type { TemplateBranch, TemplateNode } from "./template-nodes.ts";
import { wholeSlot } from "./template-scopes.ts";
import type { TwinText } from "./twin-text.ts";

/** A rendering, and what is written by it. */
export type Run = { readonly rendering: Rendering; readonly written: TwinText };

type Output = Extract<TemplateNode, { kind: "output" }>;
type Call = Extract<TemplateNode, { kind: "call" }>;
type Block = Extract<TemplateNode, { kind: "block" }>;
type Expression = NonNullable<TemplateBranch["expression"]>;

/** Writes what nodes are with these values, and tells every fault. Throws TooMuchWork. */
export function runNodes(run: Run, nodes: readonly TemplateNode[]): void {
  const { rendering, written } = run;
  for (const node of nodes) {
    if (node.kind === "text") written.write(node.text);
    if (node.kind === "block") runBlock(run, node);
    if (node.kind === "set") {
      const { expression } = node;
      const made = rendering.guarded(expression.at, () => evaluateValue(rendering, expression));
      setSlots(rendering, node.slots, { ...made, path: pathOf(rendering, expression) });
      if (node.changes !== undefined) changeSlot(rendering, node.changes, made);
    }
    if (node.kind === "output") writeOutput(run, node);
    if (node.kind === "call") runCall(run, node);
  }
}

/** What it is called with is its dot; where it has that of the whole, it is called with that. */
function runCall(run: Run, { called, expression }: Call): void {
  const { rendering } = run;
  rendering.work.spend(1);
  if (called.dot !== wholeSlot) {
    const nothing = { found: null, taint: undefined };
    const made = rendering.guarded(expression?.at ?? 0, () =>
      expression === undefined ? nothing : evaluateValue(rendering, expression),
    );
    const path = expression && pathOf(rendering, expression);
    setSlots(rendering, [called.dot], { ...made, path });
    if (made.found === undefined) return;
  }
  runNodes(run, called.nodes);
}

function writeOutput({ rendering, written }: Run, { expression, changes }: Output): void {
  const { found, taint, isUnsure } = rendering.guarded(expression.at, () => {
    const value = evaluateValue(rendering, expression);
    if (value.taint !== undefined) rendering.isSwayed = true; // by all that is in it
    if (isList(value.found) || isMap(value.found)) rendering.work.spendValue(value.found);
    return { found: { ...value, text: notedText(rendering, value) }, taint: value.taint };
  });
  if (changes !== undefined)
    changeSlot(rendering, changes, { found: found?.found, taint, isUnsure });
  if (found === undefined) return;
  const output = { text: found.text, value: found.found, taint: found.taint };
  const text = rendering.writtenOf({ ...output, ...madeOf(expression) });
  written.write(text, taint !== undefined);
}

/** Which function made it, and whether it is indented. */
function madeOf(expression: Expression) {
  let [made, isLaidOut] = [expression, false];
  while (made.kind === "call" && (made.name === "indent" || made.name === "nindent")) {
    const inner = made.values[1];
    if (inner === undefined) break;
    [made, isLaidOut] = [inner, true];
  }
  const madeBy = made.kind === "call" && made.values.length === 1 ? made.name : undefined;
  return { madeBy, isLaidOut };
}

/** The text of a value that was counted; what is sensitive within it is noted. */
export function notedText({ masks }: Rendering, { found, taint }: Evaluated<Json>): string {
  const text = textOf(found);
  if (taint === undefined) return text;
  masks.add(text, true);
  for (const part of sensitiveTexts(found, taint)) masks.add(part, true);
  return text;
}

const setSlots = ({ slots }: Rendering, names: readonly number[], slot: Slot): void => {
  for (const name of names) slots.set(name, slot);
};

/** The first branch that holds; none where it cannot be told which. Where something sensitive decides, all of them are masked as one. */
function runBlock(run: Run, block: Block): void {
  const { rendering, written } = run;
  const wasHidden = rendering.isHidden;
  runBranches(run, block);
  if (rendering.isHidden === wasHidden) return;
  rendering.isHidden = wasHidden;
  written.show();
}

function runBranches(run: Run, { branches }: Block): void {
  const { rendering } = run;
  for (const [at, branch] of branches.entries()) {
    const { expression } = branch;
    if (expression === undefined) {
      runNodes(run, branch.nodes);
      return;
    }
    const head = rendering.guarded(expression.at, () => headOf(rendering, branch, expression));
    if (head.taint === true) hide(run, branches.slice(at));
    const path = pathOf(rendering, expression);
    setSlots(rendering, branch.slots, { ...head, path });
    const { found } = head;
    if (found === undefined) return;
    if (found instanceof Absent || isEmpty(found)) continue;
    const value = { found, taint: head.taint };
    if (branch.word === "range") runLoop(run, branch, { value, path });
    else {
      if (branch.dot !== undefined) rendering.slots.set(branch.dot, { ...value, path });
      runNodes(run, branch.nodes);
    }
    return;
  }
}

/** What its branches write is masked as one, and what any of them may set is sensitive from now on. */
function hide({ rendering, written }: Run, branches: readonly TemplateBranch[]): void {
  if (rendering.isHidden) return;
  rendering.isHidden = true;
  written.hide();
  for (const branch of branches)
    for (const name of slotsSetIn(branch)) {
      rendering.work.spend(1);
      const slot = rendering.slots.get(name);
      if (slot !== undefined) rendering.slots.set(name, { ...slot, taint: true, isUnsure: true });
    }
}

function headOf(rendering: Rendering, { word }: TemplateBranch, expression: Expression): Evaluated {
  if (word !== "range") return evaluateFound(rendering, expression);
  const value = evaluateValue(rendering, expression);
  const { found } = value;
  if (found === null || isList(found) || isMap(found)) return value;
  if (value.taint !== undefined) rendering.isSwayed = true;
  throw new RenderError(`range takes a list or a map, not ${kindWords(found)}`, expression.at);
}

type Looped = {
  readonly value: Evaluated<Json>;
  readonly path: readonly string[] | undefined;
};

function runLoop(run: Run, { slots, dot, nodes }: TemplateBranch, { value, path }: Looped): void {
  const { rendering } = run;
  const { found: all } = value;
  if (isMap(all)) rendering.work.spend(Math.ceil(Object.keys(all).length / 8)); // they are put in order
  const members = isList(all) ? all.entries() : isMap(all) ? membersOf(all) : [];
  const [first, second] = slots;
  const known = rendering.isHidden ? true : value.taint;
  for (const [key, found] of members) {
    rendering.work.spend(1);
    const taint = memberTaint(known, String(key));
    const one: Slot = { found, taint, path: path && [...path, String(key)] };
    const named = second ?? first;
    if (named !== undefined) rendering.slots.set(named, one);
    if (first !== undefined && second !== undefined)
      rendering.slots.set(first, {
        found: key,
        taint: known === true ? true : undefined,
        path: undefined,
      });
    if (dot !== undefined) rendering.slots.set(dot, one);
    runNodes(run, nodes);
  }
}
