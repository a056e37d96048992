import { problem } from "../../shared/problem.ts";

/** What the broker reads from a state. Members that it lacks are undefined. */
export type StateFacts = {
  readonly serial: number | undefined;
  readonly lineage: string | undefined;
  readonly terraformVersion: string | undefined;
  /** Offsets of the serial's number: its first byte, and the byte after its last. */
  readonly serialAt: readonly [start: number, end: number] | undefined;
};

/** Of a state that is not terraform's. */
export const noFacts: StateFacts = {
  serial: undefined,
  lineage: undefined,
  terraformVersion: undefined,
  serialAt: undefined,
};

export type StateScan = {
  /** Takes the next bytes; 400 at the first that cannot be JSON. */
  readonly push: (bytes: Buffer) => void;
  /** 400 when the text is not a complete JSON object, 422 for an invalid serial. */
  readonly end: () => StateFacts;
};

const maxDepth = 512;
const mostCaptured = 1024;
const captured: ReadonlySet<string> = new Set(["serial", "lineage", "terraform_version"]);

/** What may come next. Strings and literals have states of their own. */
const [value, firstKey, key, colon, firstItem, after, string, escape, unicode, number, word, done] =
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] as const;
const words: Readonly<Record<number, string>> = { 0x74: "true", 0x66: "false", 0x6e: "null" };
const wholeNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Scans a state while its bytes arrive, so that a large one is never in memory as a whole. It accepts
 * what JSON.parse accepts and keeps only the members of the outermost object that the broker needs.
 */
export function makeStateScan(): StateScan {
  const scan: Scan = {
    stack: [],
    facts: new Map(),
    serialAt: undefined,
    state: value,
    isKey: false,
    left: 0,
    expected: "",
    token: undefined,
    tokenAt: 0,
    member: "",
    offset: 0,
  };
  return { push: (bytes) => push(scan, bytes), end: () => end(scan) };
}

type Scan = {
  /** Of objects (true) and arrays. */
  readonly stack: boolean[];
  readonly facts: Map<string, unknown>;
  serialAt: StateFacts["serialAt"];
  state: number;
  isKey: boolean;
  /** Hexadecimal digits of an escape, or letters of a word. */
  left: number;
  expected: string;
  /** Bytes of a key or value of the outermost object, and of every number. */
  token: number[] | undefined;
  tokenAt: number;
  member: string;
  /** The bytes of the current piece. */
  offset: number;
};

function push(scan: Scan, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; at++) {
    // Most bytes of a state are spaces, or in strings that are not needed.
    if (scan.state < string) at = endOfSpaces(bytes, at);
    else if (scan.state === string && scan.token === undefined) at = endOfPlainText(bytes, at);
    if (at === bytes.length) break;
    const byte = bytes[at] ?? 0;
    if (scan.state === number && !isOfNumber(byte)) endNumber(scan, at);
    take(scan, byte, at);
  }
  scan.offset += bytes.length;
}

function endOfSpaces(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && (bytes[at] === 0x20 || bytes[at] === 0x0a)) at++;
  return at;
}

/** The next quote, backslash or byte that a string may not contain. */
function endOfPlainText(bytes: Buffer, from: number): number {
  let at = from;
  for (; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === 0x22 || byte === 0x5c || byte < 0x20) break;
  }
  return at;
}

function take(scan: Scan, byte: number, at: number): void {
  if (scan.state >= string && scan.state <= word) return takeInside(scan, byte);
  if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) return;
  if (scan.state === value || scan.state === firstItem) takeValue(scan, byte, at);
  else if (scan.state === firstKey || scan.state === key) takeKey(scan, byte, at);
  else if (scan.state === colon && byte === 0x3a) scan.state = value;
  else if (scan.state === after) takeAfter(scan, byte, at);
  else throw refused(scan.offset + at);
}

function takeInside(scan: Scan, byte: number): void {
  if (scan.token !== undefined && scan.token.length < mostCaptured) scan.token.push(byte);
  if (scan.state === string) {
    if (byte === 0x22) endString(scan);
    else if (byte === 0x5c) scan.state = escape;
    else if (byte < 0x20) throw refused(scan.offset);
  } else if (scan.state === escape) {
    if (byte === 0x75) [scan.state, scan.left] = [unicode, 4];
    else if ('"\\/bfnrt'.includes(String.fromCharCode(byte))) scan.state = string;
    else throw refused(scan.offset);
  } else if (scan.state === unicode) {
    if (!/[\da-fA-F]/.test(String.fromCharCode(byte))) throw refused(scan.offset);
    if (--scan.left === 0) scan.state = string;
  } else if (scan.state === word) {
    if (scan.expected.charCodeAt(scan.expected.length - scan.left) !== byte)
      throw refused(scan.offset);
    if (--scan.left === 0) endValue(scan);
  }
}

function takeValue(scan: Scan, byte: number, at: number): void {
  if (scan.stack.length === 0 && byte !== 0x7b) throw refused(scan.offset + at);
  if (byte === 0x5d && scan.state === firstItem) return close(scan, false, at);
  if (byte === 0x7b || byte === 0x5b) {
    scan.stack.push(byte === 0x7b);
    if (scan.stack.length > maxDepth) {
      throw problem.malformed(
        "too_deep",
        `The state is nested too deeply: at most ${maxDepth} levels are allowed.`,
      );
    }
    scan.state = byte === 0x7b ? firstKey : firstItem;
  } else if (byte === 0x22) {
    [scan.state, scan.isKey] = [string, false];
    scan.token = scan.stack.length === 1 && captured.has(scan.member) ? [byte] : undefined;
  } else if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) {
    [scan.state, scan.token, scan.tokenAt] = [number, [byte], scan.offset + at];
  } else {
    scan.expected = words[byte] ?? "";
    if (scan.expected === "") throw refused(scan.offset + at);
    [scan.state, scan.left] = [word, scan.expected.length - 1];
  }
}

function takeKey(scan: Scan, byte: number, at: number): void {
  if (byte === 0x7d && scan.state === firstKey) return close(scan, true, at);
  if (byte !== 0x22) throw refused(scan.offset + at);
  [scan.state, scan.isKey] = [string, true];
  scan.token = scan.stack.length === 1 ? [byte] : undefined;
}

function takeAfter(scan: Scan, byte: number, at: number): void {
  if (byte === 0x2c) scan.state = scan.stack.at(-1) === true ? key : value;
  else if (byte === 0x7d) close(scan, true, at);
  else if (byte === 0x5d) close(scan, false, at);
  else throw refused(scan.offset + at);
}

function close(scan: Scan, isObject: boolean, at: number): void {
  if (scan.stack.pop() !== isObject) throw refused(scan.offset + at);
  endValue(scan);
}

function endString(scan: Scan): void {
  const text = scan.token === undefined ? "" : Buffer.from(scan.token).toString("utf8");
  const isWhole = scan.token !== undefined && scan.token.length < mostCaptured;
  scan.token = undefined;
  if (scan.isKey) {
    if (scan.stack.length === 1) scan.member = isWhole ? String(JSON.parse(text)) : "";
    scan.state = colon;
    return;
  }
  if (isWhole) scan.facts.set(scan.member, JSON.parse(text));
  endValue(scan);
}

function endNumber(scan: Scan, at: number): void {
  const text = Buffer.from(scan.token ?? []).toString("latin1");
  scan.token = undefined;
  if (!wholeNumber.test(text) && text.length < mostCaptured) throw refused(scan.offset + at);
  if (scan.stack.length === 1 && captured.has(scan.member)) {
    scan.facts.set(scan.member, Number(text));
    if (scan.member === "serial") scan.serialAt = [scan.tokenAt, scan.offset + at];
  }
  endValue(scan);
}

function endValue(scan: Scan): void {
  scan.state = scan.stack.length === 0 ? done : after;
}

function end(scan: Scan): StateFacts {
  if (scan.state !== done) {
    throw problem.malformed("malformed_json", "The state is not a JSON object: it is incomplete.");
  }
  const serial = scan.facts.get("serial");
  if (serial !== undefined && !(Number.isSafeInteger(serial) && Number(serial) >= 0)) {
    const detail = "The serial must be a whole number, 0 or more.";
    throw problem.invalid([{ pointer: "#/serial", code: "invalid_value", detail }]);
  }
  return {
    serial: serial === undefined ? undefined : Number(serial),
    lineage: textOf(scan, "lineage"),
    terraformVersion: textOf(scan, "terraform_version"),
    serialAt: scan.serialAt,
  };
}

function isOfNumber(byte: number): boolean {
  return (
    (byte >= 0x30 && byte <= 0x39) || [0x2b, 0x2d, 0x2e, 0x45, 0x65].includes(byte) // + - . E e
  );
}

/** An empty lineage counts as none: every state that Terraform makes has one. */
function textOf({ facts }: Scan, member: string): string | undefined {
  const given = facts.get(member);
  if (typeof given !== "string" || given === "") return undefined;
  if (given.isWellFormed()) return given.replaceAll("\0", "");
  const detail = "The text contains an unpaired surrogate, which is not valid Unicode.";
  throw problem.invalid([{ pointer: `#/${member}`, code: "invalid_value", detail }]);
}

/** Names the position only: the text may contain secrets. */
const refused = (at: number): Error =>
  problem.malformed("malformed_json", `The state is not a JSON object: see byte ${at}.`);
