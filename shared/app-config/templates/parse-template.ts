import { findOwned } from "./find-owned.ts";
import { faultsOfCalls, openDefinition, readCall } from "./parse-definitions.ts";
import { changesOnlyAsOwn, parsePipeline, type Pipeline, TemplateFault } from "./parse-pipeline.ts";
import { isOurs, type ParseState, nameIn, takeAction, takeText } from "./parse-state.ts";
import { isRoot } from "./root-tokens.ts";
import { type Action, type SpendSteps, templateActions, type Token } from "./template-actions.ts";
import type { TemplateBranch, TemplateNode } from "./template-nodes.ts";
import { TemplateScopes, wholeSlot } from "./template-scopes.ts";

/** A text as it is rendered: its pieces, and why it is no template. */
export type Template = {
  readonly nodes: readonly TemplateNode[];
  readonly faults: readonly { readonly at: number; readonly detail: string }[];
};

const blocks: ReadonlySet<string> = new Set(["if", "with", "range"]);
/** Blocks of other programs' templates. */
const otherBlocks = new Set(["define", "block"]);
const calls = new Set(["template", "block"]);
const jumps = new Set(["break", "continue"]);
/** More than anyone reads. */
const mostFaults = 500;

/** What else is done with actions while they are read. */
type ParseBy = {
  readonly spend?: SpendSteps | undefined;
  /** Gets each that is another program's. */
  readonly other?: ((tokens: readonly Token[]) => void) | undefined;
};

/**
 * Parses the actions of a text that read one of the roots (`svc`), or what variables and blocks have of it; all others
 * are another program's and stay as they are.
 */
export function parseTemplate(
  text: string,
  roots: ReadonlySet<string>,
  { spend, other = () => {} }: ParseBy = {},
): Template {
  if (!text.includes("{{")) return { nodes: [{ kind: "text", text }], faults: [] };
  const nodes: TemplateNode[] = [];
  const scopes = new TemplateScopes(nodes);
  const owned = findOwned(text, roots, spend);
  const definitions = new Map();
  const state = { text, roots, owned, scopes, other, definitions };
  const parse: ParseState = { ...state, from: 0, trims: false };
  const faults: { at: number; detail: string }[] = [];
  for (const action of templateActions(text, spend)) {
    try {
      readAction(parse, action);
    } catch (error) {
      if (!(error instanceof TemplateFault)) throw error;
      faults.push({ at: error.at, detail: error.message });
      if (faults.length === mostFaults) break;
    }
  }
  takeText(parse, text.length, false);
  const open = scopes.openBlock;
  if (open !== undefined && faults.length === 0)
    faults.push({ at: open.at, detail: `{{ ${open.word} }} has no {{ end }}` });
  if (faults.length === 0) faults.push(...faultsOfCalls(parse));
  return { nodes, faults };
}

function readAction(parse: ParseState, action: Action): void {
  const { tokens, from, fault } = action;
  if (fault !== undefined) {
    if (isMeant(parse, action)) throw new TemplateFault(fault.at, fault.detail);
    return;
  }
  const word = tokens[0]?.kind === "word" ? tokens[0].value : "";
  if (word === "end") closeBlock(parse, action);
  else if (word === "else") readElse(parse, action);
  else if (isBlock(word)) openBlock(parse, word, action);
  else if (calls.has(word) && isOurCall(parse, action)) readCall(parse, action);
  else if (word === "define" && isOurDefinition(parse, action)) openDefinition(parse, action);
  else if (otherBlocks.has(word)) {
    parse.scopes.openOther(word, from);
    if (isOurs(parse, action)) nameIn(action);
  } else if (jumps.has(word) && parse.scopes.isInRange)
    throw new TemplateFault(from, `${word} is not supported`);
  else if (isOurs(parse, action)) readStatement(parse, action);
  else parse.other(tokens);
}

const isOurDefinition = ({ owned }: ParseState, { tokens }: Action): boolean =>
  tokens[1]?.kind === "text" && owned.definitions.has(tokens[1].value);

const isOurCall = (parse: ParseState, action: Action): boolean =>
  isOurDefinition(parse, action) || isOurs(parse, action);

const isBlock = (word: string): word is "if" | "with" | "range" => blocks.has(word);

/** Whether an action that is not understood was to be one of ours, as far as it shows. */
function isMeant({ text, roots }: ParseState, { tokens, from }: Action): boolean {
  const [begin = ""] = text.slice(from, from + 200).split("\n", 1);
  if (tokens.some((_, at) => isRoot(roots, tokens, at))) return true;
  return [...roots].some((root) => begin.includes(`.${root}.`));
}

function readStatement(parse: ParseState, action: Action): void {
  takeAction(parse, action);
  const { scopes } = parse;
  const pipeline = parsePipeline(action.tokens, action.from, scopes.slotOf);
  const { names, expression, changes } = pipeline;
  if (names.length > 1) throw new TemplateFault(action.from, "only range sets two variables");
  const { nodes } = scopes.frame;
  if (names.length === 0) nodes.push({ kind: "output", expression, changes });
  else {
    const slots = slotsOf(parse, pipeline, action.from);
    nodes.push({ kind: "set", slots, expression, changes });
  }
}

function slotsOf({ scopes }: ParseState, { names, isNew }: Pipeline, at: number): number[] {
  return names.map((name) => {
    const slot = isNew ? scopes.declare(name) : scopes.slotOf(name);
    if (slot === undefined) throw new TemplateFault(at, `the variable ${name} is not set`);
    return slot;
  });
}

function openBlock(parse: ParseState, word: "if" | "with" | "range", action: Action): void {
  const { tokens, from } = action;
  if (!isOurs(parse, action)) {
    parse.scopes.openOther(word, from);
    parse.other(tokens);
    return;
  }
  takeAction(parse, action);
  const branches: TemplateBranch[] = [];
  parse.scopes.frame.nodes.push({ kind: "block", branches });
  parse.scopes.openOurs(word, from, branches);
  beginBranch(parse, word, { ...action, tokens: tokens.slice(1) });
}

function beginBranch(
  parse: ParseState,
  word: "if" | "with" | "range",
  { tokens, from }: Action,
): void {
  const pipeline = parsePipeline(tokens, from, parse.scopes.slotOf);
  if (pipeline.names.length > 1 && word !== "range")
    throw new TemplateFault(from, "only range sets two variables");
  if (pipeline.changes !== undefined) throw new TemplateFault(from, changesOnlyAsOwn);
  const slots = slotsOf(parse, pipeline, from);
  const dot = word === "if" ? undefined : parse.scopes.newSlot();
  const { expression } = pipeline;
  parse.scopes.beginBranch({ word, expression, slots, dot, nodes: [] });
}

function readElse(parse: ParseState, action: Action): void {
  const frame = parse.scopes.endBranch();
  if (!frame.isOurs) {
    if (action.tokens[1]?.value === "with") frame.dot = wholeSlot;
    return;
  }
  if (frame.outside !== undefined)
    throw new TemplateFault(action.from, "else stands within no if, with or range");
  takeAction(parse, action);
  const [, next, ...rest] = action.tokens;
  if (frame.branches.at(-1)?.word === "else")
    throw new TemplateFault(action.from, "after {{ else }} only {{ end }} can follow");
  if (next === undefined) {
    const branch = { expression: undefined, slots: [], dot: undefined, nodes: [] };
    parse.scopes.beginBranch({ word: "else", ...branch });
  } else if (next.value === "if" || next.value === "with")
    beginBranch(parse, next.value, { ...action, tokens: rest });
  else throw new TemplateFault(next.at, "after else only if or with can follow");
}

function closeBlock(parse: ParseState, action: Action): void {
  if (parse.scopes.frame.isOurs) takeAction(parse, action);
  parse.scopes.close();
}
