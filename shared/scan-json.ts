import type { Pointer } from "./problem.ts";

/** What a JSON text holds that `JSON.parse` does not tell; each pointer names the first place. */
export type JsonScan = {
  tooDeep?: Pointer;
  duplicateKey?: Pointer;
  /** A key that reaches for an object's prototype: `__proto__`, or `prototype` inside `constructor`. */
  forbiddenKey?: Pointer;
  /** A string with U+0000, which Postgres cannot store. */
  nul?: Pointer;
  /** A string with a lone surrogate, which is not valid text. */
  loneSurrogate?: Pointer;
  /** The source text of the requested members, by pointer: `#/plan` → `{"a": 1}`. */
  readonly raw: Map<string, string>;
};

export type ScanOptions = {
  readonly maxDepth: number;
  /** Paths of members to keep verbatim, `*` for any array index: `plan`, `jobs.*.plan`. */
  readonly verbatim?: readonly string[] | undefined;
};

type Frame = {
  /** The keys seen in an object; undefined in an array. */
  readonly keys: string[] | undefined;
  keySet: Set<string> | undefined;
  /** The key or the index that the scan is at. */
  at: string | number;
  isKeyNext: boolean;
  rawStart: number;
};

type State = {
  readonly text: string;
  readonly found: JsonScan;
  readonly raw: Map<string, string>;
  readonly stack: Frame[];
  readonly paths: readonly (readonly string[])[];
  backslashAt: number;
};

const split = new WeakMap<readonly string[], readonly (readonly string[])[]>();
const noPaths: readonly string[] = [];

/**
 * Scans a JSON text once, without building its value. On invalid JSON it still ends, but what it
 * found means nothing: parse the text before acting on anything but `tooDeep`.
 */
export function scanJson(text: string, { maxDepth, verbatim = noPaths }: ScanOptions): JsonScan {
  const raw = new Map<string, string>();
  const stack: Frame[] = [];
  const state = { text, raw, found: { raw }, stack, paths: pathsOf(verbatim), backslashAt: -1 };
  let frame: Frame | undefined;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === quote) {
      at = scanString(state, frame, at);
    } else if (char === colon) {
      if (frame !== undefined) beginValue(state, frame, at);
    } else if (char === comma) {
      if (frame !== undefined) nextMember(state, frame, at);
    } else if (char === openBrace || char === openBracket) {
      if (stack.length >= maxDepth) return { ...state.found, tooDeep: pointerTo(stack) };
      frame = newFrame(char === openBrace);
      stack.push(frame);
    } else if (char === closeBrace || char === closeBracket) {
      if (frame !== undefined) endMember(state, frame, at);
      stack.pop();
      frame = stack[stack.length - 1];
    }
  }
  return state.found;
}

const quote = 34;
const comma = 44;
const colon = 58;
const openBracket = 91;
const backslash = 92;
const closeBracket = 93;
const openBrace = 123;
const closeBrace = 125;

function pathsOf(verbatim: readonly string[]): readonly (readonly string[])[] {
  const known = split.get(verbatim) ?? verbatim.map((path) => path.split("."));
  split.set(verbatim, known);
  return known;
}

function newFrame(isObject: boolean): Frame {
  const keys = isObject ? [] : undefined;
  return { keys, keySet: undefined, at: isObject ? "" : 0, isKeyNext: isObject, rawStart: -1 };
}

/** Returns where the closing quote stands. */
function scanString(state: State, frame: Frame | undefined, start: number): number {
  const end = stringEnd(state, start + 1);
  const isEscaped = state.backslashAt < end;
  if (frame?.isKeyNext === true) {
    const key = isEscaped ? decode(state.text, start, end) : state.text.slice(start + 1, end);
    enterKey(state, frame, key);
    if (isEscaped) checkText(state, key);
  } else if (isEscaped && state.text.slice(start, end).includes("\\u")) {
    checkText(state, decode(state.text, start, end));
  }
  return end;
}

/** Leaves `backslashAt` at the first backslash from `from` on, and looks for it once only. */
function stringEnd(state: State, from: number): number {
  const { text } = state;
  const quoteAt = text.indexOf('"', from);
  const plainEnd = quoteAt === -1 ? text.length : quoteAt;
  if (state.backslashAt < from) {
    const found = text.indexOf("\\", from);
    state.backslashAt = found === -1 ? text.length : found;
  }
  if (state.backslashAt >= plainEnd) return plainEnd;
  let at = state.backslashAt;
  while (at < text.length && text.charCodeAt(at) !== quote) {
    at += text.charCodeAt(at) === backslash ? 2 : 1;
  }
  return Math.min(at, text.length);
}

/** The string's value; "" when the text is no JSON, which the parse that follows will say. */
function decode(text: string, start: number, end: number): string {
  try {
    return String(JSON.parse(text.slice(start, end + 1)));
  } catch {
    return "";
  }
}

function enterKey(state: State, frame: Frame, key: string): void {
  frame.at = key;
  if (isRepeated(frame, key)) state.found.duplicateKey ??= pointerTo(state.stack);
  if (key !== "__proto__" && key !== "prototype") return;
  const isForbidden = key === "__proto__" || state.stack.at(-2)?.at === "constructor";
  if (isForbidden) state.found.forbiddenKey ??= pointerTo(state.stack);
}

/** For a few keys searching an array is faster than making a set. */
function isRepeated(frame: Frame, key: string): boolean {
  const { keys, keySet } = frame;
  if (keys === undefined) return false;
  const isKnown = keySet === undefined ? keys.includes(key) : keySet.has(key);
  if (isKnown) return true;
  if (keySet !== undefined) keySet.add(key);
  else if (keys.push(key) === 16) frame.keySet = new Set(keys);
  return false;
}

function checkText(state: State, text: string): void {
  if (text.includes("\0")) state.found.nul ??= pointerTo(state.stack);
  if (!text.isWellFormed()) state.found.loneSurrogate ??= pointerTo(state.stack);
}

function beginValue(state: State, frame: Frame, at: number): void {
  frame.isKeyNext = false;
  for (const path of state.paths) {
    if (path.length === state.stack.length && isAt(state.stack, path)) frame.rawStart = at + 1;
  }
}

function isAt(stack: readonly Frame[], path: readonly string[]): boolean {
  return path.every((step, depth) => {
    const frame = stack[depth];
    return frame?.keys === undefined ? step === "*" : frame.at === step;
  });
}

function endMember(state: State, frame: Frame, at: number): void {
  if (frame.rawStart === -1) return;
  state.raw.set(pointerTo(state.stack), state.text.slice(frame.rawStart, at).trim());
  frame.rawStart = -1;
}

function nextMember(state: State, frame: Frame, at: number): void {
  endMember(state, frame, at);
  if (frame.keys !== undefined) frame.isKeyNext = true;
  else if (typeof frame.at === "number") frame.at += 1;
}

function pointerTo(stack: readonly Frame[]): Pointer {
  return toPointer(stack.map((frame) => frame.at));
}

/** Of a longer one this many letters are told: a name can be as long as a body. */
const mostLetters = 1000;

/** A path as a JSON pointer in a URI fragment's place: `["jobs", 0, "a/b"]` → `#/jobs/0/a~1b`. A very long one is cut. */
export function toPointer(path: readonly PropertyKey[]): Pointer {
  let pointer: "#" | `#/${string}` = "#";
  for (const step of path) {
    const name = String(step).slice(0, mostLetters + 1);
    pointer = `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    if (pointer.length > mostLetters) return `#/${pointer.slice(2, mostLetters).toWellFormed()}…`;
  }
  return pointer;
}
