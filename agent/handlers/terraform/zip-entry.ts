import { inflateRawSync } from "node:zlib";

const endMark = 0x06_05_4b_50;
const entryMark = 0x02_01_4b_50;
const usualMostBytes = 4 * 2 ** 20;

/**
 * Reads one file of a zip archive, found by the archive's central directory; undefined when there is none, or when it
 * is larger than the limit, 4 MiB by default.
 */
export function zipEntry(
  archive: Buffer,
  name: string,
  mostBytes = usualMostBytes,
): Buffer | undefined {
  try {
    const at = find(archive, name);
    return at === undefined ? undefined : contentsOf(archive, at, mostBytes);
  } catch {
    return undefined; // not an archive, or truncated
  }
}

function find(archive: Buffer, name: string): number | undefined {
  const end = archive.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (end < 0 || archive.readUInt32LE(end) !== endMark) return undefined;
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    if (archive.readUInt32LE(at) !== entryMark) return undefined;
    const nameLength = archive.readUInt16LE(at + 28);
    const next =
      at + 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
    if (archive.toString("utf8", at + 46, at + 46 + nameLength) === name) return at;
    at = next;
  }
  return undefined;
}

function contentsOf(archive: Buffer, at: number, mostBytes: number): Buffer {
  const method = archive.readUInt16LE(at + 10);
  const size = archive.readUInt32LE(at + 20);
  const local = archive.readUInt32LE(at + 42);
  const from = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
  const packed = archive.subarray(from, from + size);
  return method === 0 ? packed : inflateRawSync(packed, { maxOutputLength: mostBytes });
}
