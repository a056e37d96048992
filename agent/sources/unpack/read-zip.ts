import { buffer } from "node:stream/consumers";
import yauzl from "yauzl";
import {
  type ArchiveEntries,
  type ArchiveEntry,
  emptyBody,
} from "../../../shared/tar/archive-entry.ts";
import { SourceFault } from "../source-failure.ts";

const folderBit = 0o040000;
const linkBits = 0o120000;
const fileBits = 0o100000;
const kindBits = 0o170000;
const mostTargetBytes = 4096;

/** Reads a zip archive in a file. Names are not checked here. Throws SourceFault. */
export async function* readZip(file: string): ArchiveEntries {
  const archive = await open(file);
  try {
    for (;;) {
      const entry = await nextOf(archive);
      if (entry === undefined) return;
      yield await entryOf(archive, entry);
    }
  } finally {
    archive.close();
  }
}

async function entryOf(archive: yauzl.ZipFile, entry: yauzl.Entry): Promise<ArchiveEntry> {
  // Names are bytes here, despite the types; otherwise the library would check them with its own messages.
  const name = (entry.fileName as unknown as Buffer).toString("utf8");
  if (entry.isEncrypted()) throw broken(`${JSON.stringify(name)} is encrypted`);
  const isUnix = entry.versionMadeBy >> 8 === 3;
  const bits = isUnix ? entry.externalFileAttributes >>> 16 : 0;
  const shape = bits & kindBits;
  const base = { name, mode: bits & 0o7777, target: "", body: emptyBody() };
  if (shape === linkBits) {
    if (entry.uncompressedSize > mostTargetBytes) throw broken("a link in it is too long");
    return { ...base, kind: "link", target: (await buffer(bodyOf(archive, entry))).toString() };
  }
  if (shape === folderBit || name.endsWith("/")) return { ...base, kind: "folder" };
  if (shape !== 0 && shape !== fileBits) return { ...base, kind: "other", what: "a device" };
  return { ...base, kind: "file", body: bodyOf(archive, entry) };
}

/** Its bytes, checked against the size in the archive's directory. */
async function* bodyOf(archive: yauzl.ZipFile, entry: yauzl.Entry): AsyncGenerator<Uint8Array> {
  const { promise, resolve, reject } = Promise.withResolvers<AsyncIterable<Buffer>>();
  archive.openReadStream(entry, (error, stream) => (error ? reject(error) : resolve(stream)));
  try {
    yield* await promise;
  } catch (error) {
    throw error instanceof SourceFault ? error : broken((error as Error).message);
  }
}

async function open(file: string): Promise<yauzl.ZipFile> {
  const { promise, resolve, reject } = Promise.withResolvers<yauzl.ZipFile>();
  const how = { lazyEntries: true, autoClose: false, decodeStrings: false } as const;
  yauzl.open(file, how, (error, archive) =>
    error ? reject(broken(error.message)) : resolve(archive),
  );
  return await promise;
}

async function nextOf(archive: yauzl.ZipFile): Promise<yauzl.Entry | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<yauzl.Entry | undefined>();
  const end = (): void => resolve(undefined);
  const wrong = (error: Error): void => reject(broken(error.message));
  archive.once("entry", resolve).once("end", end).once("error", wrong);
  archive.readEntry();
  try {
    return await promise;
  } finally {
    archive.off("entry", resolve).off("end", end).off("error", wrong);
  }
}

function broken(words: string): SourceFault {
  return new SourceFault("unsafe", `the archive is not a valid zip archive: ${words}`);
}
