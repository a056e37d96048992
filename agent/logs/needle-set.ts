import type { ScanHow } from "./needle-table.ts";
import { scanUnescaped } from "./scan-unescaped.ts";
import type { Measure, TokenShape } from "./token-shapes.ts";
import { interestIn } from "./unescape.ts";
import { unwrap } from "./wrapped-base64.ts";

/**
 * Finds any of many needles in one pass over the bytes, a second one over wrapped base64, and a third one over escaped
 * text.
 */
export type NeedleSet = {
  /**
   * Reports each position where a needle begins, in order, with the end of the longest one there. Returns the position
   * from which more bytes are needed; the length if none are (always, when these are the last).
   */
  readonly scan: (bytes: Buffer, how: ScanHow, found: Found) => number;
};

type Found = (start: number, end: number) => void;
type Needle = { readonly bytes: Buffer; readonly shape?: TokenShape };
type Tables = {
  /** How far the window may move for its last two bytes. */
  readonly steps: Uint8Array;
  /** Whether a needle may begin with four bytes of this hash. */
  readonly mayBegin: Uint8Array;
  /** Needles by their first four bytes, the longest first. */
  readonly byHead: ReadonlyMap<number, readonly Needle[]>;
  /** Whether a needle begins with these up to three bytes at the end. */
  readonly beginnings: ReadonlySet<number>;
};

const window = 4;
const undecided = -1;

export type NeedleTexts = {
  /** All needles, of at least four bytes each, as latin1 text. */
  readonly needles: Iterable<string>;
  /** Those that are also searched in escaped text. */
  readonly unescaped: Iterable<string>;
};

/** Makes the tables for the needles. */
export function makeNeedleSet(texts: NeedleTexts, shapes: readonly TokenShape[]): NeedleSet {
  const needles = needlesIn(texts.needles);
  const unescaped = needlesIn(texts.unescaped);
  const inEscapes = tablesOf(unescaped);
  const interest = interestIn(unescaped.map(({ bytes }) => bytes));
  const plain = (bytes: Buffer, how: ScanHow, add: Found): number =>
    scan(inEscapes, bytes, how, add);
  const wrapped = tablesOf(needles.filter(({ bytes }) => isBase64.test(bytes.toString("latin1"))));
  const mostBytes = needles.reduce((most, { bytes }) => Math.max(most, bytes.length), 0);
  for (const shape of shapes) {
    for (const head of shape.heads) needles.push({ bytes: Buffer.from(head, "latin1"), shape });
  }
  const tables = tablesOf(needles);
  const scanWrapped = (bytes: Buffer, how: ScanHow, add: Found): number => {
    let certain = bytes.length;
    unwrap(bytes, { before: how.before ?? 0, mostBytes }, ({ bytes: text, placeOf, isOpen }) => {
      const isLast = how.isLast || !isOpen;
      const hidesCut = how.hidesCut === true && isOpen;
      const upto = scan(wrapped, text, { isLast, hidesCut }, (start, end) =>
        add(placeOf(start), placeOf(end - 1) + 1),
      );
      if (upto < text.length) certain = Math.min(certain, placeOf(upto));
    });
    return certain;
  };
  return {
    scan(bytes, how, found) {
      const places: Place[] = [];
      const add: Found = (start, end) => void places.push({ start, end });
      const certainAsIs = scan(tables, bytes, how, add);
      const asIs = places.length;
      const escaped = scanUnescaped(bytes, { interest, plain }, how, add);
      const least = Math.min(certainAsIs, escaped.certain, scanWrapped(bytes, how, add));
      const certain = how.isLast ? least : escaped.before(least);
      if (places.length > asIs) places.sort((one, other) => one.start - other.start);
      for (const { start, end } of places) if (start < certain) found(start, end);
      return certain;
    },
  };
}

const needlesIn = (texts: Iterable<string>): Needle[] =>
  Array.from(texts, (text) => ({ bytes: Buffer.from(text, "latin1") }));

type Place = { readonly start: number; readonly end: number };
const isBase64 = /^[\w+/=-]+$/;

function tablesOf(needles: readonly Needle[]): Tables {
  const steps = new Uint8Array(65_536).fill(window - 1);
  const mayBegin = new Uint8Array(65_536);
  const byHead = new Map<number, Needle[]>();
  const beginnings = new Set<number>();
  for (const needle of needles) {
    const { bytes } = needle;
    for (let at = 1; at < window; at++) {
      const pair = ((bytes[at - 1] ?? 0) << 8) | (bytes[at] ?? 0);
      steps[pair] = Math.min(steps[pair] ?? 0, window - 1 - at);
      beginnings.add(beginningOf(bytes, 0, at));
    }
    const head = bytes.readUInt32BE(0);
    mayBegin[hash(head)] = 1;
    const same = byHead.get(head);
    if (same === undefined) byHead.set(head, [needle]);
    else same.push(needle);
  }
  for (const same of byHead.values()) same.sort((a, b) => b.bytes.length - a.bytes.length);
  return { steps, mayBegin, byHead, beginnings };
}

const hash = (head: number): number => Math.imul(head, 0x9e3779b1) >>> 16;

/** One to three bytes and how many they are. */
function beginningOf(bytes: Uint8Array, from: number, count: number): number {
  let value = count;
  for (let at = 0; at < count; at++) value = (value << 8) | (bytes[from + at] ?? 0);
  return value;
}

/**
 * Looks at only every second or third byte, with the algorithm of Wu and Manber: most pairs of bytes are in no
 * needle's head.
 */
function scan(tables: Tables, bytes: Buffer, how: ScanHow, found: Found): number {
  const { steps, mayBegin, byHead } = tables;
  const { length } = bytes;
  const longestAt = makeLongestAt(bytes, how);
  let at = window - 1;
  while (at < length) {
    const step = steps[((bytes[at - 1] as number) << 8) | (bytes[at] as number)] as number; // within bounds
    if (step !== 0) {
      at += step;
      continue;
    }
    const start = at - (window - 1);
    const head = bytes.readUInt32BE(start);
    if (mayBegin[hash(head)] === 1) {
      const end = longestAt(byHead.get(head) ?? [], start);
      if (end === undecided) return start;
      if (end > start) found(start, end);
    }
    at++;
  }
  return how.isLast ? length : endOfCertainty(tables, bytes);
}

/** The end of the longest needle that begins at a position; 0 if none does. */
function makeLongestAt(bytes: Buffer, { isLast, hidesCut = false }: ScanHow) {
  const measures = new Map<TokenShape, Measure>();
  const endOfToken = (shape: TokenShape, bodyAt: number): number | "more" => {
    let measure = measures.get(shape);
    if (measure === undefined) measures.set(shape, (measure = shape.measure(bytes, isLast)));
    return measure(bodyAt);
  };
  return (needles: readonly Needle[], start: number): number => {
    let longest = 0;
    for (const { bytes: needle, shape } of needles) {
      const bodyAt = start + needle.length;
      const isCut = bodyAt > bytes.length;
      const known = isCut ? bytes.length - start : needle.length;
      if (isCut && isLast && (!hidesCut || shape !== undefined || !tells(known, needle))) continue;
      if (needle.compare(bytes, start, start + known, 0, known) !== 0) continue;
      if (isCut && !isLast) return undecided;
      const end = isCut ? bytes.length : shape === undefined ? bodyAt : endOfToken(shape, bodyAt);
      if (end === "more") return undecided;
      longest = Math.max(longest, end);
    }
    return longest;
  };
}

/** Whether this much of a needle reveals too much of it. */
const tells = (known: number, { length }: Buffer): boolean => known >= Math.min(6, length / 2);

function endOfCertainty({ beginnings }: Tables, bytes: Buffer): number {
  const { length } = bytes;
  for (let count = Math.min(window - 1, length); count > 0; count--) {
    if (beginnings.has(beginningOf(bytes, length - count, count))) return length - count;
  }
  return length;
}
