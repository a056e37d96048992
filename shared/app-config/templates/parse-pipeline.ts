import { nearestWord } from "../../nearest-word.ts";
import type { Token } from "./template-actions.ts";
import { templateFunctions } from "./template-functions.ts";

/** What an action computes. */
export type Expression =
  | {
      readonly kind: "literal";
      readonly value: string | number | boolean | null;
      readonly at: number;
    }
  /** What is at the fields of the dot, of `$` (the whole) or of a variable: by the slot that has it. */
  | {
      readonly kind: "path";
      readonly slot: number;
      readonly isVariable: boolean;
      readonly fields: readonly string[];
      readonly at: number;
    }
  | {
      readonly kind: "fields";
      readonly of: Expression;
      readonly fields: readonly string[];
      readonly at: number;
    }
  | {
      readonly kind: "call";
      readonly name: string;
      readonly values: readonly Expression[];
      readonly at: number;
    };

/** What an action computes, and the variables that it sets. */
export type Pipeline = {
  readonly names: readonly string[];
  /** `:=`, not `=`. */
  readonly isNew: boolean;
  readonly expression: Expression;
  readonly changes: Change | undefined;
};

/** The variable that `set` changes, or what is in it. */
export type Change = { readonly slot: number; readonly fields: readonly string[] };

/** The slot of `.`, `$` or a variable; undefined where no such variable is set. */
export type SlotOf = (name: string) => number | undefined;

/** Why a template is none: where, and in words. */
export class TemplateFault extends Error {
  override readonly name = "TemplateFault";
  readonly at: number;

  constructor(at: number, detail: string) {
    super(detail);
    this.at = at;
  }
}

type Reader = {
  readonly tokens: readonly Token[];
  at: number;
  readonly end: number;
  readonly slotOf: SlotOf;
  depth: number;
  /** Calls that change a variable. */
  readonly changing: Expression[];
};

const mostDepth = 32;
/** Functions may be piped one into the next as often as fits: they are evaluated one within another. */
const mostTokens = 500;

/** Parses a pipeline; `at` is where the action is. Throws TemplateFault. */
export function parsePipeline(tokens: readonly Token[], at: number, slotOf: SlotOf): Pipeline {
  if (tokens.length > mostTokens)
    throw new TemplateFault(at, `an action has at most ${mostTokens} pieces`);
  const reader: Reader = { tokens, at: 0, end: at, slotOf, depth: 0, changing: [] };
  const set = tokens.findIndex(({ kind, value }) => kind === "sign" && /^:?=$/.test(value));
  const names = set === -1 ? [] : readNames(reader, set);
  const expression = pipelineOf(reader);
  const rest = tokens[reader.at];
  if (rest !== undefined) throw new TemplateFault(rest.at, `${rest.value} is not expected here`);
  const within = reader.changing.find((one) => one !== expression);
  if (within !== undefined) throw new TemplateFault(within.at, changesOnlyAsOwn);
  const isNew = tokens[set]?.value === ":=";
  return { names, isNew, expression, changes: changeOf(expression) };
}

/** What would be changed within others shows only when it is rendered: it could not be told what depends on what is sensitive. */
export const changesOnlyAsOwn =
  "set changes a variable as the function of an action alone: {{ $_ := set $name … }}";

function changeOf(expression: Expression): Change | undefined {
  if (expression.kind !== "call" || expression.name !== "set") return undefined;
  const [map] = expression.values;
  return map?.kind === "path" && map.isVariable ? map : undefined;
}

/** `$a :=`, `$a =` or `$a, $b :=`. */
function readNames(reader: Reader, set: number): string[] {
  const { tokens } = reader;
  const before = tokens.slice(0, set).filter(({ value }) => value !== ",");
  const wrong =
    before.find(({ kind }) => kind !== "variable") ?? (before.length > 2 ? before[2] : undefined);
  if (wrong !== undefined || before.length === 0)
    throw new TemplateFault(wrong?.at ?? reader.end, "only variables like $name can be set");
  reader.at = set + 1;
  return before.map(({ value }) => value);
}

function pipelineOf(reader: Reader): Expression {
  let piped = commandOf(reader, undefined);
  for (let next = signAt(reader, "|"); next !== undefined; next = signAt(reader, "|")) {
    reader.at++;
    piped = commandOf(reader, piped);
  }
  return piped;
}

function commandOf(reader: Reader, piped: Expression | undefined): Expression {
  const first = reader.tokens[reader.at];
  if (first === undefined) throw new TemplateFault(reader.end, "a value is missing");
  if (first.kind === "word" && !literals.has(first.value)) return callOf(reader, first, piped);
  const operand = operandOf(reader);
  if (piped !== undefined) throw new TemplateFault(first.at, "after | a function is expected");
  return operand;
}

function callOf(
  reader: Reader,
  { value: name, at }: Token,
  piped: Expression | undefined,
): Expression {
  const known = templateFunctions.get(name);
  if (known === undefined) {
    const meant = nearestWord(name, [...templateFunctions.keys()]);
    const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
    throw new TemplateFault(at, `the function ${name} is not known${hint}`);
  }
  reader.at++;
  const values: Expression[] = [];
  while (isOperand(reader)) values.push(operandOf(reader));
  if (piped !== undefined) values.push(piped);
  const [least, most] = known.takes;
  if (values.length < least || values.length > most) {
    const takes = least === most ? String(least) : `${least} to ${most}`;
    throw new TemplateFault(at, `${name} takes ${takes} values, not ${values.length}`);
  }
  const call = { kind: "call", name, values, at } as const;
  if (changeOf(call) !== undefined) reader.changing.push(call);
  return call;
}

const literals: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["false", false],
  ["nil", null],
]);

function isOperand(reader: Reader): boolean {
  const token = reader.tokens[reader.at];
  return token !== undefined && !(token.kind === "sign" && /^[)|,]$|=/.test(token.value));
}

function operandOf(reader: Reader): Expression {
  const token = reader.tokens[reader.at];
  if (token === undefined) throw new TemplateFault(reader.end, "a value is missing");
  const { kind, value, at } = token;
  reader.at++;
  if (kind === "text") return { kind: "literal", value, at };
  if (kind === "number") return numberOf(token);
  if (kind === "field") return pathOf(reader, ".", at, [value, ...fieldsOf(reader)]);
  if (kind === "variable") return pathOf(reader, value, at, fieldsOf(reader));
  if (value === ".") return pathOf(reader, ".", at, []);
  const literal = kind === "word" ? literals.get(value) : undefined;
  if (literal !== undefined) return { kind: "literal", value: literal, at };
  if (value === "(") return inParentheses(reader, at);
  if (kind === "word" && templateFunctions.get(value)?.takes[0] === 0)
    return { kind: "call", name: value, values: [], at };
  const hint = kind === "word" ? `: a function among values needs parentheses, (${value} …)` : "";
  throw new TemplateFault(at, `${value} is not expected here${hint}`);
}

function numberOf({ value, at }: Token): Expression {
  const number = Number(value);
  if (!Number.isFinite(number)) throw new TemplateFault(at, `${value} is too large a number`);
  return { kind: "literal", value: number, at };
}

function pathOf(
  { slotOf }: Reader,
  root: string,
  at: number,
  fields: readonly string[],
): Expression {
  const slot = slotOf(root);
  if (slot === undefined) throw new TemplateFault(at, `the variable ${root} is not set`);
  return { kind: "path", slot, isVariable: root !== "." && root !== "$", fields, at };
}

function inParentheses(reader: Reader, at: number): Expression {
  reader.depth++;
  if (reader.depth > mostDepth)
    throw new TemplateFault(at, `at most ${mostDepth} parentheses may be within one another`);
  const of = pipelineOf(reader);
  if (signAt(reader, ")") === undefined) throw new TemplateFault(at, "this ( is not closed");
  reader.at++;
  reader.depth--;
  const fields = fieldsOf(reader);
  return fields.length === 0 ? of : { kind: "fields", of, fields, at };
}

/** The fields that follow without a space. */
function fieldsOf(reader: Reader): string[] {
  const fields: string[] = [];
  for (;;) {
    const token = reader.tokens[reader.at];
    if (token?.kind !== "field" || !token.isJoined) return fields;
    fields.push(token.value);
    reader.at++;
  }
}

function signAt({ tokens, at }: Reader, sign: string): Token | undefined {
  const token = tokens[at];
  return token?.kind === "sign" && token.value === sign ? token : undefined;
}
