import type { ScanHow } from "./needle-table.ts";
import { scanSwallowed } from "./swallowed-beginnings.ts";
import { type EscapeInterest, outside, type Spans, unescape } from "./unescape.ts";

type Found = (start: number, end: number) => void;
/** Reports what it finds in unescaped bytes; returns the position from which more bytes are needed. */
type ScanPlain = (bytes: Buffer, how: ScanHow, found: Found) => number;

/** The nesting depth of escapes: JSON in JSON in a URL. */
const mostLevels = 3;

/**
 * Finds needles in escaped text, with any characters escaped, at any depth. Returns the position from which more bytes
 * are needed; never one inside an escape, so that a scan can continue there.
 */
export function scanUnescaped(
  bytes: Buffer,
  { interest, plain }: { readonly interest: EscapeInterest; readonly plain: ScanPlain },
  how: ScanHow,
  found: Found,
): Certainty {
  /** Of escapes within what others hide. */
  const within: number[] = [];
  const spans: Spans[] = [];

  function look(at: Level, add: Found): number {
    let certain = at.bytes.length;
    const isLast = at.how.isLast && at.how.hidesCut !== true;
    for (const kind of interest.kinds) {
      const own = unescape(at.bytes, kind, { ...interest, isLast }, (text) => {
        const { placeOf, endOf, isOpen } = text;
        const how = {
          isLast: at.how.isLast || !isOpen,
          hidesCut: at.how.hidesCut === true && isOpen,
        };
        const tell: Found = (start, end) => add(placeOf(start), endOf(end - 1));
        let upto = plain(text.bytes, how, tell);
        if (at.level < mostLevels) {
          const span: Found = (from, to) => at.span(placeOf(from), endOf(to - 1));
          upto = Math.min(upto, look({ bytes: text.bytes, how, level: at.level + 1, span }, tell));
        }
        if (isOpen && !at.how.isLast) certain = Math.min(certain, placeOf(upto));
      });
      const where = { kind, escapes: own, interest };
      certain = Math.min(certain, scanSwallowed(at.bytes, where, at.how, add));
      if (at.level === 1) spans.push(own);
      else for (let n = 0; n < own.length; n += 2) at.span(own[n] ?? 0, own[n + 1] ?? 0);
    }
    return certain;
  }

  const span: Found = (from, to) => void within.push(from, to);
  const certain = look({ bytes, how, level: 1, span }, found);
  return { certain, before: (place) => before(place, spans, within) };
}

type Level = {
  readonly bytes: Buffer;
  readonly how: ScanHow;
  readonly level: number;
  /** Reports an escape in it. */
  readonly span: Found;
};

export type Certainty = {
  readonly certain: number;
  /** The position, or the start of the outermost escape around it. */
  readonly before: (place: number) => number;
};

function before(place: number, spans: readonly Spans[], within: readonly number[]): number {
  for (;;) {
    let least = place;
    for (const one of spans) least = Math.min(least, outside(one, least));
    for (let at = 0; at < within.length; at += 2) {
      const [from = 0, to = 0] = [within[at], within[at + 1]];
      if (from < least && least < to) least = from;
    }
    if (least === place) return place;
    place = least;
  }
}
