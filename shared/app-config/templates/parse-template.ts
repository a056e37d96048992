import { changesOnlyAsOwn, parsePipeline, type Pipeline, TemplateFault } from "./parse-pipeline.ts";
import { isDot, isRoot } from "./root-tokens.ts";
import { type Action, type SpendSteps, templateActions, type Token } from "./template-actions.ts";
import type { TemplateBranch, TemplateNode } from "./template-nodes.ts";
import { TemplateScopes, wholeSlot } from "./template-scopes.ts";

/** A text as it is rendered: its pieces, and why it is no template. */
export type Template = {
  readonly nodes: readonly TemplateNode[];
  readonly faults: readonly { readonly at: number; readonly detail: string }[];
};

type Parse = {
  readonly text: string;
  readonly roots: ReadonlySet<string>;
  readonly scopes: TemplateScopes;
  readonly other: (tokens: readonly Token[]) => void;
  /** Where what is not yet in a node begins, and whether its first white space is left out. */
  from: number;
  trims: boolean;
};

const blocks: ReadonlySet<string> = new Set(["if", "with", "range"]);
/** Blocks of other programs' templates. */
const otherBlocks = new Set(["define", "block"]);
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
  const parse: Parse = { text, roots, scopes, other, from: 0, trims: false };
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
  return { nodes, faults };
}

function readAction(parse: Parse, action: Action): void {
  const { tokens, from, fault } = action;
  if (fault !== undefined) {
    if (isMeant(parse, action)) throw new TemplateFault(fault.at, fault.detail);
    return;
  }
  const word = tokens[0]?.kind === "word" ? tokens[0].value : "";
  if (word === "end") closeBlock(parse, action);
  else if (word === "else") readElse(parse, action);
  else if (isBlock(word)) openBlock(parse, word, action);
  else if (otherBlocks.has(word)) {
    parse.scopes.openOther(word, from);
    if (isOurs(parse, tokens)) throw new TemplateFault(from, `${word} is not supported`);
  } else if (jumps.has(word) && parse.scopes.isInRange)
    throw new TemplateFault(from, `${word} is not supported`);
  else if (isOurs(parse, tokens)) readStatement(parse, action);
  else parse.other(tokens);
}

const isBlock = (word: string): word is "if" | "with" | "range" => blocks.has(word);

/** Whether an action that is not understood was to be one of ours, as far as it shows. */
function isMeant({ text, roots }: Parse, { tokens, from }: Action): boolean {
  const [begin = ""] = text.slice(from, from + 200).split("\n", 1);
  if (tokens.some((_, at) => isRoot(roots, tokens, at))) return true;
  return [...roots].some((root) => begin.includes(`.${root}.`));
}

/** Whether an action reads a root, or what a block of ours or a variable has of it, or writes a text. */
function isOurs({ roots, scopes }: Parse, tokens: readonly Token[]): boolean {
  if (tokens.length === 1 && tokens[0]?.kind === "text") return true;
  const hasDot = scopes.frame.dot !== wholeSlot;
  return tokens.some((token, at) => {
    if (token.kind === "variable")
      return token.value !== "$" && scopes.slotOf(token.value) !== undefined;
    return isRoot(roots, tokens, at) || (hasDot && isDot(tokens, at));
  });
}

function readStatement(parse: Parse, action: Action): void {
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

function slotsOf({ scopes }: Parse, { names, isNew }: Pipeline, at: number): number[] {
  return names.map((name) => {
    const slot = isNew ? scopes.declare(name) : scopes.slotOf(name);
    if (slot === undefined) throw new TemplateFault(at, `the variable ${name} is not set`);
    return slot;
  });
}

function openBlock(parse: Parse, word: "if" | "with" | "range", action: Action): void {
  const { tokens, from } = action;
  if (!isOurs(parse, tokens)) {
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

function beginBranch(parse: Parse, word: "if" | "with" | "range", { tokens, from }: Action): void {
  const pipeline = parsePipeline(tokens, from, parse.scopes.slotOf);
  if (pipeline.names.length > 1 && word !== "range")
    throw new TemplateFault(from, "only range sets two variables");
  if (pipeline.changes !== undefined) throw new TemplateFault(from, changesOnlyAsOwn);
  const slots = slotsOf(parse, pipeline, from);
  const dot = word === "if" ? undefined : parse.scopes.newSlot();
  const { expression } = pipeline;
  parse.scopes.beginBranch({ word, expression, slots, dot, nodes: [] });
}

function readElse(parse: Parse, action: Action): void {
  const frame = parse.scopes.endBranch();
  if (!frame.isOurs) return;
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

function closeBlock(parse: Parse, action: Action): void {
  if (parse.scopes.frame.isOurs) takeAction(parse, action);
  parse.scopes.close();
}

/** What is before an action of ours stays as it is; the action itself is none of the text. */
function takeAction(parse: Parse, { from, to, trimsBefore, trimsAfter }: Action): void {
  takeText(parse, from, trimsBefore);
  parse.from = to;
  parse.trims = trimsAfter;
}

function takeText(parse: Parse, to: number, trimsEnd: boolean): void {
  let { from } = parse;
  let until = to;
  if (parse.trims) while (from < until && isSpace(parse.text, from)) from++;
  if (trimsEnd) while (until > from && isSpace(parse.text, until - 1)) until--;
  const text = parse.text.slice(from, until);
  if (text !== "") parse.scopes.frame.nodes.push({ kind: "text", text });
}

const isSpace = (text: string, at: number): boolean => " \t\r\n".includes(text.charAt(at));
