import { codeOf, cutOff, type EscapeKind, isByteOf, lengthOf, noEscape } from "./escapes.ts";
import type { ScanHow } from "./needle-table.ts";
import type { EscapeInterest, Spans } from "./unescape.ts";

const more = -1;
const mismatch = 0;

/**
 * Finds what stands right behind a sign that makes an escape of its first bytes: `100%` before `deadbeef%2Fcafe`, `C:\`
 * before `new%20pass`. Its beginning is read as it stands there, the rest with escapes undone. Returns from where on
 * nothing is certain.
 */
export function scanSwallowed(
  bytes: Buffer,
  {
    kind,
    escapes,
    interest,
  }: {
    readonly kind: EscapeKind;
    readonly escapes: Spans;
    readonly interest: EscapeInterest;
  },
  how: ScanHow,
  found: (start: number, end: number) => void,
): number {
  let certain = bytes.length;
  const look = (start: number, plainTo: number): void => {
    for (const needle of interest.byFirst[bytes[start] ?? 0] ?? []) {
      const end = endOf(bytes, { kind, needle, start, plainTo }, how);
      if (end === more) certain = Math.min(certain, start);
      else if (end !== mismatch) found(start, end);
    }
  };
  for (let nth = 0; nth < escapes.length; nth += 2) {
    const [from = 0, to = 0] = [escapes[nth], escapes[nth + 1]];
    for (let start = from + 1; start < to; start++) look(start, to);
  }
  return certain;
}

type Candidate = {
  readonly kind: EscapeKind;
  readonly needle: Buffer;
  readonly start: number;
  /** Up to here it is read as it stands. */
  readonly plainTo: number;
};

/** Where the needle ends that begins at `start`. */
function endOf(bytes: Buffer, { kind, needle, start, plainTo }: Candidate, how: ScanHow): number {
  const head = Math.min(plainTo - start, needle.length);
  if (needle.compare(bytes, start, start + head, 0, head) !== 0) return mismatch;
  let at = start + head;
  let known = head;
  while (known < needle.length && at < bytes.length) {
    const escape = escapeAt(bytes, at, kind);
    if (escape === cutOff && !how.isLast) return more;
    if (escape === cutOff || escape === noEscape) {
      if (bytes[at] !== needle[known]) return mismatch;
      at++;
      known++;
      continue;
    }
    const plain = plainOf(escape);
    const length = Math.min(plain.length, needle.length - known);
    if (plain.compare(needle, known, known + length, 0, length) !== 0) return mismatch;
    at += lengthOf(escape);
    known += length;
  }
  if (known === needle.length) return at;
  if (!how.isLast) return more;
  return how.hidesCut === true && known >= Math.min(6, needle.length / 2) ? bytes.length : mismatch;
}

function escapeAt(bytes: Buffer, at: number, { trigger, read }: EscapeKind): number {
  for (let nth = 0; nth < trigger.length; nth++) {
    if (at + nth === bytes.length) return cutOff;
    if (bytes[at + nth] !== trigger[nth]) return noEscape;
  }
  return read(bytes, at);
}

const plainOf = (escape: number): Buffer =>
  isByteOf(escape) ? Buffer.of(codeOf(escape)) : Buffer.from(String.fromCodePoint(codeOf(escape)));
