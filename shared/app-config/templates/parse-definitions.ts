import { parsePipeline, TemplateFault } from "./parse-pipeline.ts";
import { definitionOf, nameIn, type ParseState, takeAction } from "./parse-state.ts";
import type { Action } from "./template-actions.ts";
import type { TemplateDefinition } from "./template-nodes.ts";

/** Templates may call others, this often one within another. */
const mostCalls = 10;

/** Reads a `define` of ours, to its `end`. Throws TemplateFault. */
export function openDefinition(parse: ParseState, action: Action): void {
  const name = nameIn(action);
  const isWithin = parse.scopes.openBlock !== undefined;
  takeAction(parse, action);
  begin(parse, definitionOf(parse, name, action.from), action);
  if (isWithin) throw new TemplateFault(action.from, "define stands within no block");
  if (action.tokens.length > 2) throw new TemplateFault(action.from, "define takes a name alone");
}

/** Reads a call of ours: `{{ template "name" . }}`; one by `block` defines it, too. Throws TemplateFault. */
export function readCall(parse: ParseState, action: Action): void {
  const { scopes } = parse;
  const [word, second] = action.tokens;
  if (word?.value === "block" && second?.kind !== "text") scopes.openOther("block", action.from);
  const name = nameIn(action);
  takeAction(parse, action);
  const called = definitionOf(parse, name, action.from);
  const given = action.tokens.slice(2);
  const pipeline =
    given.length === 0 ? undefined : parsePipeline(given, action.from, scopes.slotOf);
  if (pipeline !== undefined && pipeline.names.length + Number(pipeline.changes !== undefined) > 0)
    throw new TemplateFault(action.from, `${word?.value} sets no variables`);
  scopes.frame.nodes.push({ kind: "call", called, expression: pipeline?.expression });
  scopes.definition?.calls.push(called);
  if (word?.value === "block") begin(parse, called, action);
}

function begin(parse: ParseState, definition: TemplateDefinition, { from, tokens }: Action): void {
  const { scopes, owned } = parse;
  const isTwice = definition.at !== undefined;
  if (owned.definitions.get(definition.name) === false) definition.dot = scopes.newSlot();
  scopes.openDefinition(definition, tokens[0]?.value ?? "", from);
  definition.at ??= from;
  if (isTwice) throw new TemplateFault(from, `the template ${definition.name} is defined twice`);
}

/** What is wrong with how templates call one another: told once, as one mends all. */
export function* faultsOfCalls({ definitions, owned }: ParseState) {
  for (const { name, at, calledAt } of definitions.values())
    if (at === undefined)
      yield {
        at: calledAt,
        detail: `${owned.defined.has(name) ? othersWords : noneWords} ${name}`,
      };
  const heights = new Map<TemplateDefinition, number>();
  for (const one of definitions.values()) {
    const fault = faultOfCalls(one, heights, []);
    if (fault === undefined) continue;
    yield fault;
    return;
  }
}

const noneWords = "this text has no template";
const othersWords =
  "actions of another program use it, too, so nothing of .svc can be given to the template";

function faultOfCalls(
  one: TemplateDefinition,
  heights: Map<TemplateDefinition, number>,
  within: readonly TemplateDefinition[],
): { readonly at: number; readonly detail: string } | undefined {
  if (heights.has(one)) return undefined;
  const at = one.at ?? one.calledAt;
  if (within.includes(one))
    return { at, detail: `the template ${one.name} calls itself, which templates cannot` };
  let height = 1;
  for (const called of within.length >= mostCalls ? [] : one.calls) {
    const fault = faultOfCalls(called, heights, [...within, one]);
    if (fault !== undefined) return fault;
    height = Math.max(height, 1 + (heights.get(called) ?? 0));
  }
  if (height > mostCalls || within.length >= mostCalls)
    return { at, detail: `templates call one another at most ${mostCalls} deep` };
  heights.set(one, height);
  return undefined;
}
