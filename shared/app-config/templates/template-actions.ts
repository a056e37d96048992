import { unquoteText } from "./unquote-text.ts";

/** A piece of an action `{{ … }}`. */
export type Token = {
  readonly kind: "text" | "letter" | "number" | "word" | "field" | "variable" | "sign";
  /** A field without its dot, a variable with its `$`; a text without its quotes. */
  readonly value: string;
  readonly at: number;
  /** Whether it follows the token before it without a space. */
  readonly isJoined: boolean;
};

/** An action in a text: where it begins and where what follows begins. */
export type Action = {
  readonly from: number;
  readonly to: number;
  readonly tokens: readonly Token[];
  /** `{{-` and `-}}`: white space before or after it is none of the text. */
  readonly trimsBefore: boolean;
  readonly trimsAfter: boolean;
  /** What is not understood in it. */
  readonly fault?: { readonly at: number; readonly detail: string };
};

const spaces = /[ \t\r\n]*/y;
const end = /[ \t\r\n]+-\}\}|[ \t\r\n]*\}\}/y;
const comment = /(?:-[ \t\r\n]+)?\/\*/y;
const shapes = [
  ["text", /"(?:[^"\\\n]|\\.)*"|`[^`]*`/y],
  ["letter", /'(?:[^'\\\n]|\\.)+'/y],
  ["number", /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![A-Za-z_])/y],
  ["word", /[A-Za-z_][A-Za-z0-9_]*/y],
  ["field", /\.[A-Za-z_][A-Za-z0-9_]*(?:-+[A-Za-z0-9_]+)*/y],
  ["variable", /\$[A-Za-z0-9_]*/y],
  ["sign", /:=|[().,|=]/y],
] as const;

/** Counts the steps that reading takes before they are done; may throw. */
export type SpendSteps = (steps: number) => void;

/** Of an action, beside its pieces. */
const stepsOfAction = 4;

/** The actions of a text, in their order. */
export function* templateActions(text: string, spend: SpendSteps = () => {}): Generator<Action> {
  for (let from = text.indexOf("{{"); from !== -1;) {
    const isComment = matched(comment, text, from + 2) !== undefined;
    spend(stepsOfAction);
    const action = isComment ? readComment(text, from) : readAction(text, from, spend);
    yield action;
    from = text.indexOf("{{", action.to);
  }
}

/** What is in a comment is nobody's action, also where it does not end. */
function readComment(text: string, from: number): Action {
  const end = text.indexOf("*/", from);
  const to = end === -1 ? text.length : end + 2;
  return { from, to, tokens: [], trimsBefore: false, trimsAfter: false };
}

function readAction(text: string, from: number, spend: SpendSteps): Action {
  const tokens: Token[] = [];
  const trimsBefore = /^-[ \t\r\n]/.test(text.slice(from + 2, from + 4));
  let at = from + (trimsBefore ? 3 : 2);
  for (;;) {
    const close = matched(end, text, at);
    if (close !== undefined)
      return { from, to: at + close.length, tokens, trimsBefore, trimsAfter: close.includes("-") };
    const before = at;
    at += matched(spaces, text, at)?.length ?? 0;
    const found = tokenAt(text, at);
    const { kind, value, length } = found ?? {};
    if (kind === undefined || value === undefined || length === undefined) {
      const detail = kind === undefined ? faultAt(text, at) : badEscape;
      return { from, to: from + 2, tokens, trimsBefore, trimsAfter: false, fault: { at, detail } };
    }
    spend(1);
    tokens.push({ kind, value, at, isJoined: at === before && tokens.length > 0 });
    at += length;
  }
}

function tokenAt(text: string, at: number) {
  for (const [kind, shape] of shapes) {
    const found = matched(shape, text, at);
    if (found !== undefined) return { kind, value: valueOf(kind, found), length: found.length };
  }
  return undefined;
}

function valueOf(kind: Token["kind"], found: string): string | undefined {
  if (kind === "field") return found.slice(1);
  if (kind !== "text") return found;
  const within = found.slice(1, -1);
  return found.startsWith("`") ? within.replaceAll("\r", "") : unquoteText(within);
}

const badEscape = "a text in it has a \\ that Go's texts do not know";

function faultAt(text: string, at: number): string {
  const found = text.slice(at, at + 1);
  if (found === "") return "an action that begins with {{ does not end with }}";
  if (found === '"' || found === "`") return "a text in it does not end";
  return `${JSON.stringify(found)} is not understood here`;
}

function matched(shape: RegExp, text: string, at: number): string | undefined {
  shape.lastIndex = at;
  return shape.exec(text)?.[0];
}
