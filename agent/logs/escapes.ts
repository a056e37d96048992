import { entityCodes } from "./entity-names.ts";

/** One kind of escape. Each kind is undone separately: the escapes of one are plain text to another. */
export type EscapeKind = {
  /** An escape begins so. */
  readonly trigger: Buffer;
  /** Whether its first byte may be the only one known so far. */
  readonly mayBeCut: boolean;
  /** The escape that begins at a place, as `escapeOf` packs it; `noEscape`, or `cutOff` where only more bytes can tell. */
  readonly read: (bytes: Buffer, at: number) => number;
  /** The characters that it escapes; any by default. */
  readonly only?: string;
};

export const noEscape = 0;
export const cutOff = -1;
const lengthMask = 31;
const byteFlag = 32;

/** One escape: its length, and the byte or code point that it stands for. */
const escapeOf = (length: number, code: number, isByte = false): number =>
  length + (isByte ? byteFlag : 0) + code * 64;
export const lengthOf = (escape: number): number => escape & lengthMask;
export const codeOf = (escape: number): number => escape >>> 6;
/** Code points from 128 on are more than one byte. */
export const isByteOf = (escape: number): boolean =>
  codeOf(escape) < 0x80 || (escape & byteFlag) !== 0;

/**
 * The kinds: backslashes (JSON, C, shells, and so on), percent-encoding, entities of HTML and XML, doubled quotes,
 * PowerShell's backtick.
 */
export const escapeKinds: readonly EscapeKind[] = [
  { trigger: Buffer.from("\\"), mayBeCut: true, read: readBackslash },
  { trigger: Buffer.from("%"), mayBeCut: true, read: readPercent },
  { trigger: Buffer.from("&"), mayBeCut: true, read: readEntity },
  { trigger: Buffer.from("''"), mayBeCut: false, read: () => escapeOf(2, 0x27), only: "'" },
  { trigger: Buffer.from('""'), mayBeCut: false, read: () => escapeOf(2, 0x22), only: '"' },
  { trigger: Buffer.from("`"), mayBeCut: true, read: readBacktick, only: "\"'$`" },
];

const hexDigits = Uint8Array.from({ length: 256 }, (_, byte) => {
  const digit = Number.parseInt(String.fromCharCode(byte), 16);
  return Number.isNaN(digit) ? 255 : digit;
});

/** The value of this many hexadecimal digits; `cutOff` or `none` when they are missing. */
const none = -2;
function hexAt(bytes: Buffer, at: number, count: number): number {
  let value = 0;
  for (let nth = 0; nth < count; nth++) {
    const byte = bytes[at + nth];
    if (byte === undefined) return cutOff;
    const digit = hexDigits[byte] ?? 255;
    if (digit === 255) return none;
    value = value * 16 + digit;
  }
  return value;
}

const packed = (value: number, length: number, isByte = false): number => {
  if (value === cutOff) return cutOff;
  return value < 0 || value > 0x10_ff_ff ? noEscape : escapeOf(length, value, isByte);
};

const letterCodes: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  t: 9,
  n: 10,
  v: 11,
  f: 12,
  r: 13,
  e: 27,
  E: 27,
};
/** What a backslash and this character mean; 255 where more bytes are needed or it is no escape. */
const afterBackslash = Uint8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  if (/[^\w]/.test(character) && byte >= 0x20 && byte < 0x7f) return byte;
  return byte === 0x5f ? byte : (letterCodes[character] ?? 255);
});

function readBackslash(bytes: Buffer, at: number): number {
  const next = bytes[at + 1];
  if (next === undefined) return cutOff;
  const simple = afterBackslash[next] ?? 255;
  if (simple !== 255) return escapeOf(2, simple);
  if (next === 0x75) return readUnicode(bytes, at);
  if (next === 0x78) return packed(hexAt(bytes, at + 2, 2), 4, true);
  if (next === 0x55) return packed(hexAt(bytes, at + 2, 8), 10);
  return next >= 0x30 && next <= 0x37 ? readOctal(bytes, at) : noEscape;
}

function readOctal(bytes: Buffer, at: number): number {
  let value = 0;
  let length = 1;
  for (; length < 4; length++) {
    const byte = bytes[at + length];
    if (byte === undefined) return cutOff;
    if (byte < 0x30 || byte > 0x37 || value > 31) break;
    value = value * 8 + byte - 0x30;
  }
  return escapeOf(length, value, true);
}

/** \u00e4, both halves of \ud83d\udd11, \u{1f511}. */
function readUnicode(bytes: Buffer, at: number): number {
  if (bytes[at + 2] === 0x7b) return readBraced(bytes, at);
  const high = hexAt(bytes, at + 2, 4);
  if (high < 0xd8_00 || high > 0xdb_ff) return packed(high, 6);
  const [slash, letter] = [bytes[at + 6], bytes[at + 7]];
  if (slash !== undefined && slash !== 0x5c) return packed(high, 6);
  if (letter !== undefined && letter !== 0x75) return packed(high, 6);
  const low = hexAt(bytes, at + 8, 4);
  if (slash === undefined || letter === undefined || low === cutOff) return cutOff;
  if (low < 0xdc_00 || low > 0xdf_ff) return packed(high, 6);
  return escapeOf(12, 0x1_00_00 + (high - 0xd8_00) * 0x4_00 + (low - 0xdc_00));
}

function readBraced(bytes: Buffer, at: number): number {
  for (let count = 0; count <= 6; count++) {
    const byte = bytes[at + 3 + count];
    if (byte === undefined) return cutOff;
    if (byte === 0x7d && count > 0) return packed(hexAt(bytes, at + 3, count), count + 4);
  }
  return noEscape;
}

/** %2F and JavaScript's %u00e4. */
function readPercent(bytes: Buffer, at: number): number {
  if (bytes[at + 1] === 0x75) return packed(hexAt(bytes, at + 2, 4), 6);
  return packed(hexAt(bytes, at + 1, 2), 3, true);
}

const longestEntity = 20;
const isEntityByte = Uint8Array.from({ length: 256 }, (_, byte) =>
  /[\w#]/.test(String.fromCharCode(byte)) ? 1 : 0,
);

/** &quot; &#34; &#x22; */
function readEntity(bytes: Buffer, at: number): number {
  let end = at + 1;
  while (isEntityByte[bytes[end] ?? 0] === 1 && end - at < longestEntity) end++;
  if (end === bytes.length && end - at < longestEntity) return cutOff;
  if (bytes[end] !== 0x3b) return noEscape;
  const name = bytes.toString("latin1", at + 1, end);
  const number = /^#(?:(\d{1,8})|[xX]([\da-fA-F]{1,8}))$/.exec(name);
  if (number === null) {
    const code = entityCodes.get(name);
    return code === undefined ? noEscape : escapeOf(end + 1 - at, code);
  }
  const code = number[1] === undefined ? Number.parseInt(number[2] ?? "", 16) : Number(number[1]);
  return packed(code, end + 1 - at);
}

function readBacktick(bytes: Buffer, at: number): number {
  const next = bytes[at + 1];
  if (next === undefined) return cutOff;
  const isSign = next === 0x22 || next === 0x27 || next === 0x24 || next === 0x60;
  return isSign ? escapeOf(2, next) : noEscape;
}
