import { randomBytes } from "node:crypto";

/** A long string of a JSON text: where its characters stand, from the first to behind the last. */
export type Range = readonly [start: number, end: number];

export type ExtractedStrings = {
  /** The text with a short word in place of each long string. */
  readonly text: string;
  readonly ranges: Range[];
  /** Finds these words in a text made of that one. */
  readonly words: RegExp;
};

const longBytes = 16 * 1024;
const [quote, backslash, colon] = [0x22, 0x5c, 0x3a];

/**
 * Takes long strings out of a JSON text that is UTF-8, so that what is left can be parsed, checked and written again
 * without them. Only those that stand there as they are, without an escape: such a one may be put back anywhere.
 */
export function extractStrings(bytes: Buffer): ExtractedStrings {
  const nonce = randomBytes(16).toString("hex");
  const words = new RegExp(`${nonce}(\\d{8})`, "g");
  const ranges: Range[] = [];
  const kept: Buffer[] = [];
  let keptTo = 0;
  let backslashAt = -1;
  for (let at = bytes.indexOf(quote); at !== -1;) {
    if (backslashAt <= at) backslashAt = orEnd(bytes, bytes.indexOf(backslash, at + 1));
    const plainEnd = orEnd(bytes, bytes.indexOf(quote, at + 1));
    const isPlain = backslashAt > plainEnd;
    const end = isPlain ? plainEnd : endOfEscaped(bytes, backslashAt);
    if (isPlain && end - at > longBytes && isExtractable(bytes, at + 1, end)) {
      kept.push(bytes.subarray(keptTo, at + 1));
      kept.push(Buffer.from(`${nonce}${String(ranges.length).padStart(8, "0")}`));
      ranges.push([at + 1, end]);
      keptTo = end;
    }
    at = bytes.indexOf(quote, end + 1);
  }
  kept.push(bytes.subarray(keptTo));
  return { text: Buffer.concat(kept).toString("utf8"), ranges, words };
}

const orEnd = (bytes: Buffer, at: number): number => (at === -1 ? bytes.length : at);

function endOfEscaped(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return Math.min(at, bytes.length);
}

/** Not a member's name, and without characters that JSON does not allow: those are left for the parser to refuse. */
function isExtractable(bytes: Buffer, start: number, end: number): boolean {
  if (end === bytes.length) return false;
  let after = end + 1;
  while (bytes[after] === 0x20 || bytes[after] === 0x0a || bytes[after] === 0x0d) after++;
  if (bytes[after] === colon || bytes[after] === 0x09) return false;
  return !hasControlCharacter(bytes.subarray(start, end));
}

/** Looks at four bytes at once: of 64 MiB this is half of the work. */
function hasControlCharacter(bytes: Buffer): boolean {
  const unaligned = Math.min(bytes.length, (4 - (bytes.byteOffset % 4)) % 4);
  const count = Math.floor((bytes.length - unaligned) / 4);
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset + unaligned, count);
  for (let n = 0; n < words.length; n++) {
    const word = words[n] ?? 0;
    // It leaves a bit where a byte is less than 32.
    if (((word - 0x20202020) & ~word & 0x80808080) !== 0) return true;
  }
  const rest = [bytes.subarray(0, unaligned), bytes.subarray(unaligned + count * 4)];
  return rest.some((few) => few.some((byte) => byte < 0x20));
}
