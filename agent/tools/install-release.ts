import { createHash, randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { chmod, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { SourceFault } from "../sources/source-failure.ts";
import { readZip } from "../sources/unpack/read-zip.ts";
import type { PublicKey } from "./openpgp/public-keys.ts";
import { verifySignature } from "./openpgp/verify-signature.ts";
import { readRelease, type ReleaseNetwork } from "./release-server.ts";
import { ToolFault } from "./tool-fault.ts";

/** A version of a tool on its release server. */
export type Release = {
  /** The name of the program in the archive. */
  readonly program: string;
  /** The URL of the files of this version. */
  readonly address: string;
  readonly archive: string;
  readonly sums: string;
  readonly signature: string;
  readonly keys: readonly PublicKey[];
};

const mostSmallBytes = 2 ** 20;
const mostArchiveBytes = 2 ** 29;
const mostProgramBytes = 2 ** 30;

/**
 * Downloads a release, verifies its checksum and the signature of the checksums, and installs the program atomically
 * at `place`. Throws ToolFault. Others, in containers that share the folder, may do the same: each writes a file of
 * its own, and abandoned files are removed after hours.
 */
export async function installRelease(
  network: ReleaseNetwork,
  release: Release,
  place: string,
): Promise<void> {
  const { address, archive, sums, signature, keys } = release;
  const small = async (name: string): Promise<Buffer> =>
    await buffer(readRelease(network, `${address}/${name}`, mostSmallBytes));
  const text = await small(sums);
  verifySignature(text, await small(signature), keys);
  const expected = sumOf(text.toString("utf8"), archive);
  const folder = path.dirname(place);
  await mkdir(folder, { recursive: true, mode: 0o755 });
  await sweep(folder);
  const zip = path.join(folder, `${halfDone}${randomUUID()}-${archive}`);
  const program = path.join(folder, `${halfDone}${randomUUID()}-${release.program}`);
  try {
    const sum = await write(zip, readRelease(network, `${address}/${archive}`, mostArchiveBytes));
    if (sum !== expected) {
      throw new ToolFault("digest", `${archive} has the checksum ${sum}, expected ${expected}`);
    }
    await unpackProgram(zip, release.program, program);
    await chmod(program, 0o755);
    await rename(program, place);
  } finally {
    await rm(zip, { force: true });
    await rm(program, { force: true });
  }
}

const halfDone = ".half-";
const abandonedAfterMs = 6 * 60 * 60_000;

async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(halfDone)) continue;
    const file = path.join(folder, name);
    const found = await stat(file).catch(() => undefined); // another process may have removed it
    if (found !== undefined && Date.now() - found.mtimeMs > abandonedAfterMs) {
      await rm(file, { force: true });
    }
  }
}

/** `SUM  NAME` in a line. */
function sumOf(text: string, archive: string): string {
  const found = text.split("\n").map((line) => /^([0-9a-f]{64}) [ *](\S+)$/.exec(line.trim()));
  const sum = found.find((line) => line?.[2] === archive)?.[1];
  if (sum === undefined) throw new ToolFault("not_found", `its checksums do not list ${archive}`);
  return sum;
}

/** Durable when it resolves, because the name must never exist without the bytes. Returns their SHA-256. */
async function write(file: string, pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash("sha256");
  async function* hashed(): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      hash.update(piece);
      yield piece;
    }
  }
  await pipeline(hashed, createWriteStream(file, { mode: 0o600 }));
  const handle = await open(file, "r");
  await handle.sync();
  await handle.close();
  return hash.digest("hex");
}

async function unpackProgram(zip: string, name: string, to: string): Promise<void> {
  try {
    for await (const entry of readZip(zip)) {
      if (entry.name !== name || entry.kind !== "file") continue;
      await write(to, bounded(entry.body));
      return;
    }
  } catch (error) {
    throw error instanceof SourceFault ? new ToolFault("digest", error.message) : error;
  }
  throw new ToolFault("not_found", `the archive does not contain ${name}`);
}

async function* bounded(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > mostProgramBytes)
      throw new ToolFault("too_large", "the program is larger than 1 GiB");
    yield piece;
  }
}
