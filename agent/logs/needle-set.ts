import type { TokenShape } from "./token-shapes.ts";

/** Finds any of many needles in one pass over the bytes. */
export type NeedleSet = {
  /**
   * Tells of every place where a needle begins, in order, with the end of the longest one there. Answers from where
   * on nothing is certain without further bytes; the length when everything is (always, if these are the last).
   */
  readonly scan: (bytes: Buffer, isLast: boolean, found: Found) => number;
};

type Found = (start: number, end: number) => void;
type Needle = { readonly bytes: Buffer; readonly measure?: TokenShape["measure"] };
type Tables = {
  /** By the last two bytes of the window: how far it may move without missing a needle. */
  readonly steps: Uint8Array;
  /** By a hash of the first four bytes: whether a needle may begin so. */
  readonly mayBegin: Uint8Array;
  /** By the first four bytes, the longest first. */
  readonly byHead: ReadonlyMap<number, readonly Needle[]>;
  /** By up to three bytes at the end of what is known: whether a needle begins so. */
  readonly beginnings: ReadonlySet<number>;
};

const window = 4;
const undecided = -1;

/** Makes the tables for the needles, each of four bytes at least, given as latin1 text. */
export function makeNeedleSet(texts: Iterable<string>, shapes: readonly TokenShape[]): NeedleSet {
  const needles: Needle[] = Array.from(texts, (text) => ({ bytes: Buffer.from(text, "latin1") }));
  for (const { heads, measure } of shapes) {
    for (const head of heads) needles.push({ bytes: Buffer.from(head, "latin1"), measure });
  }
  const tables = tablesOf(needles);
  return { scan: (bytes, isLast, found) => scan(tables, bytes, isLast, found) };
}

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

/** Looks at every second to third byte only, after Wu and Manber: most pairs of bytes are in no needle's head. */
function scan(tables: Tables, bytes: Buffer, isLast: boolean, found: Found): number {
  const { steps, mayBegin, byHead } = tables;
  const { length } = bytes;
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
      const end = longestAt(byHead.get(head) ?? [], bytes, start, isLast);
      if (end === undecided) return start;
      if (end > start) found(start, end);
    }
    at++;
  }
  return isLast ? length : endOfCertainty(tables, bytes);
}

/** Where the longest needle that begins here ends; 0 when none does. */
function longestAt(
  needles: readonly Needle[],
  bytes: Buffer,
  start: number,
  isLast: boolean,
): number {
  let longest = 0;
  for (const needle of needles) {
    const bodyAt = start + needle.bytes.length;
    const isCut = bodyAt > bytes.length;
    if (isCut && isLast) continue;
    const known = isCut ? bytes.length - start : needle.bytes.length;
    if (needle.bytes.compare(bytes, start, start + known, 0, known) !== 0) continue;
    const end = isCut ? "more" : (needle.measure?.(bytes, bodyAt, isLast) ?? bodyAt);
    if (end === "more") return undecided;
    longest = Math.max(longest, end);
  }
  return longest;
}

function endOfCertainty({ beginnings }: Tables, bytes: Buffer): number {
  const { length } = bytes;
  for (let count = Math.min(window - 1, length); count > 0; count--) {
    if (beginnings.has(beginningOf(bytes, length - count, count))) return length - count;
  }
  return length;
}
