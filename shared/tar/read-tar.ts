import { type ArchiveEntries, type ArchiveEntry, emptyBody } from "./archive-entry.ts";
import { type ByteReader, type FaultOf, makeByteReader } from "./byte-reader.ts";

const blockBytes = 512;
/** Records with long names and attributes, for one entry or for all. */
const mostExtraBytes = 2 ** 20;
const mostExtraBytesOfAll = 2 ** 26;

/** The attributes from the records before an entry. */
type Told = { name?: string; target?: string; size?: number; isSparse?: boolean };

/**
 * Reads a tar archive: ustar, pax, and GNU long names. What is not understood is refused, never guessed; entries of
 * unknown kinds are returned as `other`. Throws what `faultOf` makes of its words. A whole one is read to the end of the
 * bytes, where nothing but zeros may be behind its own end.
 */
export async function* readTar(
  chunks: AsyncIterable<Uint8Array>,
  faultOf: FaultOf,
  { isWhole = false }: { readonly isWhole?: boolean } = {},
): ArchiveEntries {
  const reader = makeByteReader(chunks, faultOf);
  try {
    yield* entriesOf(reader);
    if (isWhole) await requireZeros(reader);
  } catch (error) {
    throw error instanceof BrokenTar ? faultOf(error.message) : error;
  } finally {
    await reader.close(); // closes the file; what comes after the end of the archive is not read
  }
}

async function requireZeros(reader: ByteReader): Promise<void> {
  for await (const piece of reader.rest())
    if (piece.some((byte) => byte !== 0)) throw broken("it has data after its end");
}

async function* entriesOf(reader: ByteReader): ArchiveEntries {
  let told: Told = {};
  let extraBytes = 0;
  for (;;) {
    const block = await reader.take(blockBytes);
    if (block === undefined || block.every((byte) => byte === 0)) return;
    assertSum(block);
    const type = String.fromCharCode(block[156] ?? 0);
    const size = numberAt(block, 124, 12);
    if ("xgLK".includes(type)) {
      extraBytes += size + blockBytes;
      if (extraBytes > mostExtraBytesOfAll) throw broken("its extended headers are too large");
      told = { ...told, ...toldBy(type, await extra(reader, size)) };
      continue;
    }
    const entry = entryOf(block, type, told);
    const length = entry.kind === "file" || entry.kind === "other" ? (told.size ?? size) : 0;
    const body = reader.stream(length);
    yield { ...entry, body };
    for await (const _ of body); // skips the unread rest
    for await (const _ of reader.stream(paddingOf(length)));
    told = {};
  }
}

const kinds: Readonly<Record<string, ArchiveEntry["kind"]>> = {
  "0": "file",
  "\0": "file",
  "7": "file",
  "1": "hard link",
  "2": "link",
  "5": "folder",
};
const others: Readonly<Record<string, string>> = {
  "3": "a device",
  "4": "a device",
  "6": "a named pipe",
  S: "a sparse file",
};

function entryOf(block: Buffer, type: string, told: Told): ArchiveEntry {
  const prefix = block.toString("latin1", 257, 263) === "ustar\0" ? textAt(block, 345, 155) : "";
  const short = textAt(block, 0, 100);
  const name = told.name ?? (prefix === "" ? short : `${prefix}/${short}`);
  const isFolder = kinds[type] === "file" && name.endsWith("/"); // as in formats before ustar
  const kind = told.isSparse === true ? undefined : isFolder ? "folder" : kinds[type];
  return {
    name,
    kind: kind ?? "other",
    ...(kind === undefined && { what: others[type] ?? others["S"] ?? "" }),
    mode: numberAt(block, 100, 8) & 0o7777,
    target: told.target ?? textAt(block, 157, 100),
    body: emptyBody(),
  };
}

async function extra(reader: ByteReader, size: number): Promise<Buffer> {
  if (size > mostExtraBytes) throw broken("a name in it is longer than 1 MiB");
  const bytes = (size === 0 ? Buffer.alloc(0) : await reader.take(size)) ?? Buffer.alloc(0);
  if (bytes.length < size) throw broken("it is truncated");
  for await (const _ of reader.stream(paddingOf(size)));
  return bytes;
}

function toldBy(type: string, bytes: Buffer): Told {
  if (type === "g") return {}; // for the whole archive, usually a commit
  const text = bytes.toString("utf8").replace(/\0+$/, "");
  if (type === "L") return { name: text };
  if (type === "K") return { target: text };
  return paxOf(bytes);
}

/** Parses records `LENGTH NAME=VALUE\n`, where the length counts bytes of the whole record. */
function paxOf(bytes: Buffer): Told {
  const told: Told = {};
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(" ", at);
    const length = Number(bytes.toString("latin1", at, space));
    const isLength = space > at && Number.isInteger(length) && length > space - at;
    if (!isLength || at + length > bytes.length)
      throw broken("the attributes of an entry are invalid");
    const record = bytes.toString("utf8", space + 1, at + length - 1);
    const equals = record.indexOf("=");
    const [key, value] = [record.slice(0, equals), record.slice(equals + 1)];
    if (key === "path") told.name = value;
    if (key === "linkpath") told.target = value;
    if (key === "size") told.size = sizeOf(value);
    if (key.startsWith("GNU.sparse.")) told.isSparse = true;
    at += length;
  }
  return told;
}

function sizeOf(text: string): number {
  const size = /^\d{1,15}$/.test(text) ? Number(text) : -1;
  if (size < 0) throw broken("the size of an entry is invalid");
  return size;
}

const paddingOf = (size: number): number => (blockBytes - (size % blockBytes)) % blockBytes;

/** Text up to its end or a NUL. */
function textAt(block: Buffer, from: number, length: number): string {
  const field = block.subarray(from, from + length);
  const end = field.indexOf(0);
  return field.toString("utf8", 0, end === -1 ? length : end);
}

/** A number in octal digits or, if it is too large for that, as marked bytes. */
function numberAt(block: Buffer, from: number, length: number): number {
  if (((block[from] ?? 0) & 0x80) !== 0) {
    const value = block.readUIntBE(from + length - 6, 6);
    const isSmall = block.subarray(from + 1, from + length - 6).every((byte) => byte === 0);
    if (block[from] !== 0x80 || !isSmall) throw broken("a number in it is invalid");
    return value;
  }
  const digits = textAt(block, from, length).trim();
  if (!/^[0-7]*$/.test(digits)) throw broken("a number in it is invalid");
  return digits === "" ? 0 : Number.parseInt(digits, 8);
}

function assertSum(block: Buffer): void {
  let sum = 0;
  for (const [at, byte] of block.entries()) sum += at >= 148 && at < 156 ? 0x20 : byte;
  if (sum !== numberAt(block, 148, 8)) throw broken("a checksum is wrong");
}

class BrokenTar extends Error {}

function broken(words: string): BrokenTar {
  return new BrokenTar(`the archive is not a valid tar archive: ${words}`);
}
