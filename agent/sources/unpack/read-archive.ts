import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline } from "node:stream";
import zlib from "node:zlib";
import type { ArchiveEntries } from "../../../shared/tar/archive-entry.ts";
import { readTar } from "../../../shared/tar/read-tar.ts";
import { SourceFault } from "../source-failure.ts";
import { readZip } from "./read-zip.ts";

const marks = {
  gzip: Buffer.from([0x1f, 0x8b]),
  zstd: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]),
  zip: Buffer.from("PK"),
} as const;

/** Reads an archive in a file: tar, tar with gzip or zstd, or zip, by its bytes. Undefined for anything else. */
export async function readArchive(file: string): Promise<ArchiveEntries | undefined> {
  const head = await headOf(file);
  const begins = (mark: Buffer): boolean => head.subarray(0, mark.length).equals(mark);
  if (begins(marks.zip)) return readZip(file);
  if (begins(marks.gzip)) return readTar(unpacked(file, zlib.createGunzip()), unsafe);
  if (begins(marks.zstd)) return readTar(unpacked(file, zlib.createZstdDecompress()), unsafe);
  const isTar = head.toString("latin1", 257, 262) === "ustar";
  return isTar ? readTar(createReadStream(file), unsafe) : undefined;
}

const unsafe = (words: string): SourceFault => new SourceFault("unsafe", words);

async function headOf(file: string): Promise<Buffer> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(512), 0, 512, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Decompressed in chunks; the reader limits the total. */
async function* unpacked(file: string, through: zlib.Gunzip | zlib.ZstdDecompress) {
  const stream = pipeline(createReadStream(file), through, () => {}); // its error appears in `through`
  try {
    yield* stream as AsyncIterable<Uint8Array>; // it yields bytes
  } catch (error) {
    if (error instanceof SourceFault) throw error;
    throw new SourceFault("unsafe", `the archive is damaged: ${(error as Error).message}`);
  }
}
