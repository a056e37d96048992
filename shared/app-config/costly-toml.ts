import { configLimits, type ConfigFaultCode, type Place } from "./config-fault.ts";
import { textLimits } from "./members/kinds.ts";

/** Why a TOML text is not parsed at all, and where. */
export type CostlyToml = {
  readonly place: Place;
  readonly code: ConfigFaultCode;
  readonly detail: string;
};

type Scan = {
  readonly text: string;
  at: number;
  /** Lists and tables that are open here. */
  depth: number;
  /** Where the name or value that is being read began, and its dots. */
  begin: number;
  dots: number;
};

const [quote, apostrophe, backslash, hash] = [0x22, 0x27, 0x5c, 0x23];
const [tab, newline, carriageReturn, dot] = [0x09, 0x0a, 0x0d, 0x2e];
const [listOpens, listCloses, tableOpens, tableCloses] = [0x5b, 0x5d, 0x7b, 0x7d];
const space = 0x20;
/** What ends a run of letters. */
const signs = new Set("\"'#\t\n\r. ,=[]{}".split("").map((sign) => sign.charCodeAt(0)));

/**
 * Finds what would cost the parser and all after it more than its bytes: names of many parts, deep values, long texts. It
 * counts in one pass, by the parser's own rules of texts and comments; a text that is no TOML may pass, and fails later.
 */
export function findCostlyToml(text: string): CostlyToml | undefined {
  const scan: Scan = { text, at: 0, depth: 0, begin: 0, dots: 0 };
  while (scan.at < text.length) {
    const from = scan.at;
    const letters = step(scan);
    if (letters > textLimits.short) return toldAt(text, from, longText(letters));
    if (scan.depth > configLimits.depth) return toldAt(text, from, tooDeep);
    if (scan.dots >= configLimits.nameParts) return toldAt(text, scan.begin, manyParts(scan));
  }
  return undefined;
}

type Told = Omit<CostlyToml, "place">;

/** Of a value that has too many others around it. */
export const tooDeepWords = `is too deep: at most ${configLimits.depth} levels`;
const tooDeep: Told = { code: "bad_value", detail: tooDeepWords };

const longText = (letters: number): Told => ({
  code: "config_too_costly",
  detail: `has a text of ${letters} characters: at most ${textLimits.short}; put long texts in files of their own and name them as ./path`,
});

/** Counts on to the name's end. */
function manyParts(scan: Scan): Told {
  let { dots } = scan;
  while (scan.at < scan.text.length && scan.dots > 0) {
    dots = scan.dots;
    step(scan);
  }
  const detail = `has a name of ${dots + 1} parts: at most ${configLimits.nameParts}`;
  return { code: "config_too_costly", detail };
}

function toldAt(text: string, at: number, told: Told): CostlyToml {
  const lines = text.slice(0, at).split(/\r\n|[\r\n]/);
  return { place: { line: lines.length, column: (lines.at(-1) ?? "").length + 1 }, ...told };
}

/** Goes over one piece; how many letters it has, if it has any. */
function step(scan: Scan): number {
  const { text, at } = scan;
  const sign = text.charCodeAt(at);
  if (scan.dots === 0 && (sign === quote || sign === apostrophe || !signs.has(sign)))
    scan.begin = at;
  if (sign === quote || sign === apostrophe) return skipText(scan, sign);
  if (sign === hash) {
    skipLine(scan);
    return 0;
  }
  if (!signs.has(sign)) return skipLetters(scan);
  scan.at++;
  if (sign === dot) scan.dots++;
  else if (sign !== space && sign !== tab) scan.dots = 0;
  if (sign === listOpens || sign === tableOpens) scan.depth++;
  else if (sign === listCloses || sign === tableCloses) scan.depth = Math.max(0, scan.depth - 1);
  return 0;
}

const isEndOfLine = (sign: number): boolean => sign === newline || sign === carriageReturn;

function skipLine(scan: Scan): void {
  while (scan.at < scan.text.length && !isEndOfLine(scan.text.charCodeAt(scan.at))) scan.at++;
}

function skipLetters(scan: Scan): number {
  const from = scan.at;
  while (scan.at < scan.text.length && !signs.has(scan.text.charCodeAt(scan.at))) scan.at++;
  return scan.at - from;
}

/** A text in quotes, of one line or, in three quotes, of several: how many letters it has. */
function skipText(scan: Scan, mark: number): number {
  const { text } = scan;
  const isMark = (at: number): boolean => text.charCodeAt(at) === mark;
  const isLong = isMark(scan.at + 1) && isMark(scan.at + 2);
  scan.at += isLong ? 3 : 1;
  for (let letters = 0; scan.at < text.length; letters++) {
    const sign = text.charCodeAt(scan.at);
    if (!isLong && isEndOfLine(sign)) return letters;
    const isEnd = sign === mark && (!isLong || (isMark(scan.at + 1) && isMark(scan.at + 2)));
    if (isEnd) {
      scan.at += isLong ? 3 : 1;
      // Two more before the end are a part of it.
      const most = isLong ? scan.at + 2 : 0;
      while (scan.at < most && isMark(scan.at)) scan.at++;
      return letters;
    }
    scan.at += sign === backslash && mark === quote ? escapeLength(text, scan.at) : 1;
  }
  return 0;
}

/** Of an escape and what it says. */
function escapeLength(text: string, at: number): number {
  const said = text.charAt(at + 1);
  if (said === "u") return 6;
  return said === "U" ? 10 : 2;
}
