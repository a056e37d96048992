import { type Expression, type Pipeline, parsePipeline, TemplateFault } from "./parse-pipeline.ts";
import { type Action, templateActions, type Token } from "./template-actions.ts";

/** A path below `.svc` that a text reads. */
export type TemplateReference = { readonly path: readonly string[]; readonly at: number };
/** What a text's template reads, and why it is none. */
export type TemplateLook = {
  readonly references: readonly TemplateReference[];
  readonly faults: readonly { readonly at: number; readonly detail: string }[];
};

/** What is known of a value: its path below the whole of what templates read; undefined: nothing. */
type Known = readonly string[] | undefined;
type Frame = {
  readonly word: string;
  readonly at: number;
  /** Not another program's template: its `end` is ours, too. */
  readonly isOurs: boolean;
  readonly dot: Known;
  readonly variables: Map<string, Known>;
};
type Look = {
  readonly references: TemplateReference[];
  readonly frames: [Frame, ...Frame[]];
};

const prefix = "svc";
const blocks = new Set(["if", "with", "range"]);
/** Blocks of other programs' templates. */
const otherBlocks = new Set(["define", "block"]);

/**
 * Parses the actions of a text that read `.svc`, and those of their blocks; all others are another program's and stay
 * as they are.
 */
export function findReferences(text: string): TemplateLook {
  if (!text.includes("{{")) return { references: [], faults: [] };
  const outermost = { word: "", at: 0, isOurs: false, dot: [], variables: new Map() };
  const look: Look = { references: [], frames: [outermost] };
  const faults: { at: number; detail: string }[] = [];
  for (const action of templateActions(text)) {
    try {
      readAction(look, action, text);
    } catch (error) {
      if (!(error instanceof TemplateFault)) throw error;
      faults.push({ at: error.at, detail: error.message });
    }
  }
  const open = look.frames.findLast(({ isOurs }) => isOurs);
  if (open !== undefined && faults.length === 0)
    faults.push({ at: open.at, detail: `{{ ${open.word} }} has no {{ end }}` });
  return { references: look.references, faults };
}

function readAction(look: Look, action: Action, text: string): void {
  const { tokens, from, fault } = action;
  if (fault !== undefined) {
    const [begin = ""] = text.slice(from, from + 200).split("\n", 1);
    if (tokens.some((_, at) => isRoot(tokens, at)) || begin.includes(`.${prefix}.`))
      throw new TemplateFault(fault.at, fault.detail);
    return;
  }
  const word = tokens[0]?.kind === "word" ? tokens[0].value : "";
  if (word === "end") closeBlock(look);
  else if (word === "else") readElse(look, action);
  else if (blocks.has(word)) openBlock(look, word, action);
  else if (otherBlocks.has(word)) {
    look.frames.push({ ...frameOf(look), word, at: from, isOurs: false });
    if (isOurs(look, tokens)) throw new TemplateFault(from, `${word} is not supported`);
  } else if (isOurs(look, tokens)) readPipeline(look, parsePipeline(tokens, from));
}

const frameOf = ({ frames }: Look): Frame => frames.at(-1) ?? frames[0];

function openBlock(look: Look, word: string, { tokens, from }: Action): void {
  const outer = frameOf(look);
  const frame = {
    word,
    at: from,
    isOurs: false,
    dot: outer.dot,
    variables: new Map(outer.variables),
  };
  if (!isOurs(look, tokens)) {
    look.frames.push(frame);
    return;
  }
  look.frames.push({ ...frame, isOurs: true });
  const pipeline = parsePipeline(tokens.slice(1), from);
  const known = readPipeline(look, pipeline);
  if (word === "if") return;
  look.frames.pop();
  const dot = word === "with" ? known : undefined;
  if (word === "range") for (const name of pipeline.names) frame.variables.set(name, undefined);
  look.frames.push({ ...frame, isOurs: true, dot });
}

function readElse(look: Look, { tokens, from }: Action): void {
  const frame = frameOf(look);
  if (!frame.isOurs) return;
  const outer = look.frames.at(-2) ?? frame;
  look.frames.pop();
  look.frames.push({ ...frame, dot: outer.dot });
  const [, next, ...rest] = tokens;
  if (next === undefined) return;
  if (next.value !== "if" && next.value !== "with")
    throw new TemplateFault(next.at, "after else only if or with can follow");
  readPipeline(look, parsePipeline(rest, from));
}

function closeBlock({ frames }: Look): void {
  if (frames.length > 1) frames.pop();
}

/** Whether an action reads `.svc`, or what a block of ours or a variable has of it, or writes a text. */
function isOurs(look: Look, tokens: readonly Token[]): boolean {
  const { isOurs: isWithin, variables } = frameOf(look);
  if (tokens.length === 1 && tokens[0]?.kind === "text") return true;
  return tokens.some((token, at) => {
    if (isRoot(tokens, at)) return true;
    if (token.kind === "variable" && variables.has(token.value)) return true;
    return isWithin;
  });
}

/** `.svc` as such or `$.svc`, not a member of something else. */
function isRoot(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at];
  if (token?.kind !== "field" || token.value !== prefix) return false;
  return !token.isJoined || tokens[at - 1]?.value === "$" || tokens[at - 1]?.value === "(";
}

function readPipeline(look: Look, { names, expression }: Pipeline): Known {
  const known = readExpression(look, expression);
  for (const name of names) frameOf(look).variables.set(name, known);
  return known;
}

/** Notes what an expression reads, and answers what is known of its value. */
function readExpression(look: Look, expression: Expression): Known {
  const { at } = expression;
  if (expression.kind === "literal") return undefined;
  if (expression.kind === "path") {
    const { root, fields } = expression;
    const base = root === "." ? frameOf(look).dot : root === "$" ? [] : variableOf(look, root, at);
    return noted(look, base && [...base, ...fields], at);
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

function variableOf(look: Look, name: string, at: number): Known {
  const { variables } = frameOf(look);
  if (!variables.has(name)) throw new TemplateFault(at, `the variable ${name} is not set`);
  return variables.get(name);
}

function noted(look: Look, path: Known, at: number): Known {
  const [root, ...below] = path ?? [];
  if (root === prefix) look.references.push({ path: below, at });
  return path;
}
