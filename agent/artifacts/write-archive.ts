import { createHash, type Hash } from "node:crypto";
import { createReadStream, createWriteStream, readFileSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import zlib from "node:zlib";
import { paddingOf, tarEnd, tarHeader } from "../../shared/tar/tar-header.ts";
import type { PackedEntry } from "./gather-entries.ts";
import { PackFault } from "./pack-fault.ts";
import type { Packed } from "./pack-request.ts";

type Written = Pick<Packed, "digest" | "size" | "checksum" | "sourceChecksum">;

/** Larger files are streamed. */
const mostAtOnce = 2 ** 20;
/** The system in gzip's header that says nothing of the host. */
const [systemAt, unknownSystem] = [9, 255];

/**
 * Writes a tar archive with gzip: the same entries become the same bytes, wherever and whenever that is. Without a file
 * only their checksums are computed.
 */
export async function writeArchive(
  entries: readonly PackedEntry[],
  file: string | undefined,
): Promise<Written> {
  const sums = { all: createHash("sha256"), source: createHash("sha256") };
  const blocks = blocksOf(entries, sums);
  const { digest, size } = file === undefined ? await drain(blocks) : await write(blocks, file);
  return {
    digest,
    size,
    checksum: `sha256:${sums.all.digest("hex")}`,
    sourceChecksum: `sha256:${sums.source.digest("hex")}`,
  };
}

async function drain(blocks: AsyncIterable<Buffer>): Promise<{ digest: string; size: number }> {
  for await (const _ of blocks);
  return { digest: "", size: 0 };
}

async function write(
  blocks: AsyncIterable<Buffer>,
  file: string,
): Promise<{ digest: string; size: number }> {
  const hash = createHash("sha256");
  let size = 0;
  async function* counted(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      if (size <= systemAt && size + chunk.length > systemAt)
        chunk[systemAt - size] = unknownSystem;
      size += chunk.length;
      hash.update(chunk);
      yield chunk;
    }
  }
  const gzip = zlib.createGzip({ level: 6, memLevel: 8, chunkSize: 2 ** 16 });
  await pipeline(blocks, gzip, counted, createWriteStream(file, { mode: 0o600 }));
  return { digest: `sha256:${hash.digest("hex")}`, size };
}

type Sums = { readonly all: Hash; readonly source: Hash };

/** The bytes of the archive; the checksums are of names, kinds, executable bits, targets and contents. */
async function* blocksOf(entries: readonly PackedEntry[], sums: Sums): AsyncGenerator<Buffer> {
  for (const entry of entries) {
    const { name, kind, isExecutable, target, size, isSource } = entry;
    const head = `${JSON.stringify([name, kind, isExecutable, target])}\n`;
    const own = createHash("sha256");
    if (kind === "file" && size > mostAtOnce && entry.text === undefined) {
      yield tarHeader(entry);
      yield* streamed(entry, own);
      yield paddingOf(size);
    } else {
      const body = bodyOf(entry);
      own.update(body);
      yield Buffer.concat([tarHeader(entry), body, paddingOf(size)]);
    }
    const sum = own.digest();
    for (const hash of isSource ? [sums.all, sums.source] : [sums.all])
      hash.update(head).update(sum);
  }
  yield tarEnd;
}

function bodyOf(entry: PackedEntry): Buffer {
  if (entry.kind === "link") return Buffer.alloc(0);
  const body = entry.text ?? readFileSync(entry.place);
  if (body.length !== entry.size) throw changed(entry);
  return body;
}

async function* streamed(entry: PackedEntry, hash: Hash): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of createReadStream(entry.place, { highWaterMark: 2 ** 18 })) {
    const piece = chunk as Buffer; // no encoding is set
    bytes += piece.length;
    hash.update(piece);
    yield piece;
  }
  if (bytes !== entry.size) throw changed(entry);
}

function changed({ name }: PackedEntry): PackFault {
  return new PackFault("unsafe", `${JSON.stringify(name)} was changed while it was packed`);
}
