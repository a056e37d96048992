import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { open, readdir, rm, stat, truncate, writeFile } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import type { Blobs } from "./blobs.ts";
import { boundedPiece, noRoom, requireRoom, type UploadLimits } from "./bounded-piece.ts";
import { type Digest, digestOfFile, digestOfHash } from "./digest.ts";
import { isMissing } from "./durable-files.ts";
import type { Places } from "./places.ts";
import { RegistryError } from "./registry-error.ts";
import { makeRunningHashes, type RunningHashes } from "./running-hashes.ts";

/** A piece of a blob: its bytes, and where it begins and ends where the client says so. */
export type Piece = {
  readonly body: AsyncIterable<Uint8Array>;
  readonly range: { readonly from: number; readonly to: number } | undefined;
};

/** Uploads that are under way, each a file that grows. */
export type Uploads = ReturnType<typeof uploadsIn>;

/** The uploads in these places. */
export function uploadsIn(places: Places, blobs: Blobs, limits: UploadLimits) {
  const kept: Kept = { places, blobs, limits, busy: new Set(), hashes: makeRunningHashes() };
  return {
    /** Answers its id. */
    begin: async (repository: string): Promise<string> => await beginUpload(kept, repository),
    /** Appends a piece; answers how many bytes there are. What came of one that broke off stays. */
    append: async (repository: string, id: string, piece: Piece): Promise<number> => {
      const file = places.upload(repository, id);
      return await alone(kept, file, async () => await appendTo(kept, file, piece));
    },
    /** Ends an upload: with this last piece it has this digest, and becomes a blob; else it is thrown away. */
    commit: async (repository: string, id: string, last: LastPiece): Promise<void> => {
      const file = places.upload(repository, id);
      await alone(kept, file, async () => await commitUpload(kept, { repository, file, ...last }));
    },
    sizeOf: async (repository: string, id: string): Promise<number> =>
      await sizeOf(places.upload(repository, id)),
    cancel: async (repository: string, id: string): Promise<void> => {
      const file = places.upload(repository, id);
      await alone(kept, file, async () => {
        await sizeOf(file);
        await drop(kept, file);
      });
    },
    /** Forgets uploads that nobody goes on with. */
    sweep: async (nowMs: number): Promise<void> => await sweepUploads(kept, nowMs),
  };
}

type LastPiece = {
  readonly digest: Digest;
  readonly piece: Piece;
  /** All bytes have come, and nothing is heard until they are on the disk. */
  readonly hasAll: () => void;
};
type Kept = {
  readonly places: Places;
  readonly blobs: Blobs;
  readonly limits: UploadLimits;
  /** Files with which a request goes on now. */
  readonly busy: Set<string>;
  readonly hashes: RunningHashes;
};

async function drop({ hashes }: Kept, file: string): Promise<void> {
  hashes.forget(file);
  await rm(file, { force: true });
}

/** One request at a time goes on with an upload. */
async function alone<T>({ busy }: Kept, file: string, act: () => Promise<T>): Promise<T> {
  if (busy.has(file))
    throw new RegistryError("BLOB_UPLOAD_INVALID", "Another request goes on with this upload.", {
      status: 409,
    });
  busy.add(file);
  try {
    return await act();
  } finally {
    busy.delete(file);
  }
}

async function beginUpload({ places, limits, hashes }: Kept, repository: string): Promise<string> {
  const begun = await readdir(places.uploads);
  if (begun.length >= limits.mostOpen)
    throw new RegistryError(
      "TOOMANYREQUESTS",
      `${limits.mostOpen} uploads are open. Try again when others have ended.`,
      { headers: { "retry-after": "5" } },
    );
  const id = randomUUID();
  const file = places.upload(repository, id);
  await writeFile(file, "", { flag: "wx", mode: 0o600 });
  hashes.begin(file);
  return id;
}

type Ending = LastPiece & { readonly repository: string; readonly file: string };

async function commitUpload(
  kept: Kept,
  { repository, file, digest, piece, hasAll }: Ending,
): Promise<void> {
  const size = await appendTo(kept, file, piece);
  hasAll();
  await syncFile(file);
  const running = kept.hashes.of(file, size);
  const found =
    running !== undefined && digest.algorithm === "sha256"
      ? digestOfHash(running.hash, "sha256")
      : await digestOfFile(file, digest.algorithm);
  kept.hashes.forget(file);
  if (found.text !== digest.text) {
    await drop(kept, file);
    throw new RegistryError(
      "DIGEST_INVALID",
      `What was uploaded has the digest ${found.text}, not ${digest.text}.`,
    );
  }
  await kept.blobs.put(repository, digest, file);
}

async function syncFile(file: string): Promise<void> {
  const handle = await open(file, "r+");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function sweepUploads(kept: Kept, nowMs: number): Promise<void> {
  const { places, limits, busy } = kept;
  for (const name of await readdir(places.uploads)) {
    const file = path.join(places.uploads, name);
    if (busy.has(file)) continue;
    const isOld = await stat(file).then(
      ({ mtimeMs }) => nowMs - mtimeMs > limits.restsMs,
      () => false, // it has just ended
    );
    if (isOld) await drop(kept, file);
  }
}

async function appendTo(
  { limits, hashes }: Kept,
  file: string,
  { body, range }: Piece,
): Promise<number> {
  const begin = await sizeOf(file);
  if (range !== undefined && range.from !== begin)
    throw new RegistryError(
      "BLOB_UPLOAD_INVALID",
      `The upload has ${begin} bytes: the next piece begins there, not at ${range.from}.`,
      { status: 416, headers: rangeHeader(begin) },
    );
  await requireRoom(path.dirname(file), limits);
  const bounded = boundedPiece(path.dirname(file), {
    begin,
    limits,
    running: hashes.of(file, begin),
  });
  const written = createWriteStream(file, { flags: "a" });
  const closed = once(written, "close");
  try {
    await pipeline(body, bounded.pass, written);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOSPC") throw noRoom();
    throw error;
  } finally {
    await closed; // what still is being written comes before the next piece
  }
  const size = bounded.size();
  if (range !== undefined && size !== range.to + 1) {
    hashes.forget(file);
    await truncate(file, begin);
    throw new RegistryError(
      "BLOB_UPLOAD_INVALID",
      `The piece has ${size - begin} bytes, but says that it is ${range.from}-${range.to}.`,
    );
  }
  return size;
}

/** What of an upload is there, as the header has it. */
export const rangeHeader = (sizeBytes: number): { range: string } => ({
  range: `0-${Math.max(0, sizeBytes - 1)}`,
});

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new RegistryError(
      "BLOB_UPLOAD_UNKNOWN",
      "There is no such upload: it has ended, or rested for too long. Begin another one.",
    );
  }
}
