import {
  codeOf,
  cutOff,
  type EscapeKind,
  escapeKinds,
  isByteOf,
  lengthOf,
  noEscape,
} from "./escapes.ts";
import { type ByFirstByte, byFirstByte } from "./needle-table.ts";

/** A part of a text, with escapes of one kind undone. */
export type Unescaped = {
  readonly bytes: Buffer;
  /** Where the byte stood, or the escape for it began. */
  readonly placeOf: (at: number) => number;
  /** Where the byte, or the escape for it, ended. */
  readonly endOf: (at: number) => number;
  /** Where the part ended. */
  readonly to: number;
  /** It reaches the end of the known bytes: more may follow. */
  readonly isOpen: boolean;
};

/** What is worth undoing. */
export type EscapeInterest = {
  /** Whether a byte is in any needle. */
  readonly wanted: Uint8Array;
  /** Whether an escaped backslash and this byte may stand for a wanted byte. */
  readonly wantedLater: Uint8Array;
  /** How far from an escape a needle may begin or end. */
  readonly reach: number;
  /** A shorter text contains no needle. */
  readonly least: number;
  readonly kinds: readonly EscapeKind[];
  readonly byFirst: ByFirstByte;
};

/** The largest distance that escaped text spans from the first of its escapes that an outer one hides. */
const longestEscapes = 6;

/** What to unescape for these needles. */
export function interestIn(needles: readonly Buffer[]): EscapeInterest {
  const wanted = new Uint8Array(256);
  for (const needle of needles) for (const byte of needle) wanted[byte] = 1;
  // These characters form other escapes: \x26quot\x3b
  for (let byte = 0; byte < 0x80; byte++) {
    if (/[\w;#]/.test(String.fromCharCode(byte))) wanted[byte] = 1;
  }
  if (["'", '"', "$"].some((sign) => wanted[sign.charCodeAt(0)] === 1)) wanted[0x60] = 1;
  const wantedLater = Uint8Array.from({ length: 256 }, (_, byte) => {
    const [backslash] = escapeKinds;
    const escape = backslash?.read(Buffer.from([0x5c, byte]), 0) ?? noEscape;
    if (escape === cutOff) return 1;
    return escape === noEscape ? 0 : (wanted[codeOf(escape)] ?? 0);
  });
  const isUseful = ({ only }: EscapeKind): boolean =>
    only === undefined || [...Buffer.from(only)].some((byte) => wanted[byte] === 1);
  let [least, longest] = [Infinity, 0];
  for (const { length } of needles) {
    least = Math.min(least, length);
    longest = Math.max(longest, length);
  }
  const kinds = needles.length === 0 ? [] : escapeKinds.filter(isUseful);
  const reach = longest * longestEscapes;
  return { wanted, wantedLater, reach, least, kinds, byFirst: byFirstByte(needles) };
}

export type UnescapeHow = EscapeInterest & {
  /** No more bytes follow: a cut-off escape is plain text. */
  readonly isLast: boolean;
};

/**
 * Reports each part in which an escape stands for a wanted byte, with enough text around it; returns where each escape
 * begins and ends. Any other escape ends a part, because no needle spans it.
 */
export function unescape(
  bytes: Buffer,
  kind: EscapeKind,
  how: UnescapeHow,
  tell: (unescaped: Unescaped) => void,
): Spans {
  const { length } = bytes;
  let at = bytes.indexOf(kind.trigger);
  if (at === -1 && kind.mayBeCut) return none;
  const spans: number[] = [];
  const part = makePart(bytes, how, tell);
  while (at !== -1) {
    const escape = kind.read(bytes, at);
    if (escape === cutOff) {
      // A lone quote or a backslash: only the next bytes tell what it is.
      if (!how.isLast) part.cutAt(at);
      at = how.isLast ? findNext(bytes, kind.trigger, at + 1) : -1;
      continue;
    }
    const to = escape === noEscape ? at + 1 : at + lengthOf(escape);
    if (escape !== noEscape) {
      spans.push(at, to);
      if (isWanted(bytes, to, escape, how)) part.add(at, to, escape);
      else part.bar(at, to);
    }
    at = findNext(bytes, kind.trigger, to);
  }
  const isHalf = !kind.mayBeCut && !how.isLast && bytes[length - 1] === kind.trigger[0];
  if (isHalf && (spans.at(-1) ?? 0) < length) part.cutAt(length - 1);
  part.finish();
  return spans;
}

/** Escapes come in clusters: checking the next bytes is cheaper than a search. */
const nearBytes = 48;

function findNext(bytes: Buffer, trigger: Buffer, from: number): number {
  const [first] = trigger;
  const near = Math.min(bytes.length, from + nearBytes);
  if (trigger.length > 1) return bytes.indexOf(trigger, from);
  for (let at = from; at < near; at++) if (bytes[at] === first) return at;
  return near === bytes.length ? -1 : bytes.indexOf(trigger, near);
}

/** Each beginning and its end, in order. */
export type Spans = readonly number[];
const none: Spans = [];

/** The position, or the start of the escape around it. */
export function outside(spans: Spans, place: number): number {
  let [low, high] = [0, spans.length >> 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[2 * middle + 1] ?? 0) > place) high = middle;
    else low = middle + 1;
  }
  return Math.min(place, spans[2 * low] ?? place);
}

function isWanted(bytes: Buffer, to: number, escape: number, how: EscapeInterest): boolean {
  const code = codeOf(escape);
  if (code >= 0x80 || how.wanted[code] === 1) return true;
  // It may begin an escape itself. After two backslashes, which are common, the next byte tells.
  if (code !== 0x5c) return code === 0x25 || code === 0x26;
  if (bytes[to - 1] !== 0x5c) return true;
  let at = to;
  while (bytes[at] === 0x5c) at++;
  const next = bytes[at];
  return next === undefined || how.wantedLater[next] === 1;
}

type Part = {
  /** An escape for something wanted. */
  readonly add: (from: number, to: number, escape: number) => void;
  /** An escape for anything else. */
  readonly bar: (from: number, to: number) => void;
  /** An incomplete escape. */
  readonly cutAt: (at: number) => void;
  readonly finish: () => void;
};

function makePart(
  bytes: Buffer,
  { reach, least }: EscapeInterest,
  tell: (unescaped: Unescaped) => void,
): Part {
  let escapes: number[] = [];
  let from = 0;
  let barredTo = 0;
  let end = bytes.length;
  let isCut = false;
  const close = (most: number, isOpen: boolean): void => {
    const isLong = isOpen || most - from >= least;
    if (isLong && (escapes.length > 0 || isCut))
      tell(undone(bytes, escapes, { from, to: most, isOpen }));
    escapes = [];
  };
  const lastEnd = (): number => escapes.at(-2) ?? 0;
  /** No needle reaches from the earlier text to here. */
  const leaveBehind = (at: number): void => {
    if (escapes.length > 0 && lastEnd() + reach < at - reach) close(lastEnd() + reach, false);
    if (escapes.length === 0) from = Math.max(barredTo, at - reach);
  };
  return {
    add(at, to, escape) {
      leaveBehind(at);
      escapes.push(at, to, escape);
    },
    bar(at, to) {
      if (escapes.length > 0) close(Math.min(at, lastEnd() + reach), false);
      barredTo = to;
    },
    cutAt(at) {
      leaveBehind(at);
      isCut = true;
      end = at;
    },
    finish() {
      if (isCut || lastEnd() + reach >= end) close(end, true);
      else close(lastEnd() + reach, false);
    },
  };
}

type Extent = { readonly from: number; readonly to: number; readonly isOpen: boolean };

function undone(bytes: Buffer, escapes: readonly number[], extent: Extent): Unescaped {
  const { from, to, isOpen } = extent;
  const out = Buffer.allocUnsafe(to - from);
  /** Of each escape: where what it stands for begins and ends. */
  const places: number[] = [];
  let length = 0;
  let doneAt = from;
  for (let at = 0; at < escapes.length; at += 3) {
    const [begin = 0, end = 0, escape = 0] = [escapes[at], escapes[at + 1], escapes[at + 2]];
    length += bytes.copy(out, length, doneAt, begin);
    places.push(length);
    length = put(out, length, escape);
    places.push(length);
    doneAt = end;
  }
  length += bytes.copy(out, length, doneAt, to);
  /** Where a byte stood, and where it ended. */
  const find = (at: number): readonly [number, number] => {
    let [low, high] = [0, places.length >> 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((places[2 * middle] ?? 0) > at) high = middle;
      else low = middle + 1;
    }
    if (low === 0) return [from + at, from + at + 1];
    const [begin = 0, end = 0] = [escapes[3 * (low - 1)], escapes[3 * (low - 1) + 1]];
    const after = places[2 * (low - 1) + 1] ?? 0;
    return at < after ? [begin, end] : [end + at - after, end + at - after + 1];
  };
  return {
    bytes: out.subarray(0, length),
    placeOf: (at) => (at >= length ? to : find(at)[0]),
    endOf: (at) => find(at)[1],
    to,
    isOpen,
  };
}

function put(out: Buffer, at: number, escape: number): number {
  const code = codeOf(escape);
  if (isByteOf(escape)) {
    out[at] = code;
    return at + 1;
  }
  return at + out.write(String.fromCodePoint(code), at);
}
