import { statfs } from "node:fs/promises";
import { RegistryError } from "./registry-error.ts";
import type { RunningHash } from "./running-hashes.ts";

/** How much one caller can make the registry hold. */
export type UploadLimits = {
  readonly mostBytes: number;
  readonly mostOpen: number;
  /** Of the disk, which stays free: it is looked at before a piece, and again after so many bytes of it. */
  readonly freeBytes: number;
  readonly looksEveryBytes: number;
  /** How much is free there; what the disk says unless told. */
  readonly freeIn?: (folder: string) => Promise<number>;
  /** An upload that nobody goes on with is forgotten after so long. */
  readonly restsMs: number;
};

type Bounds = {
  /** How many bytes of the upload are there before it. */
  readonly begin: number;
  readonly limits: UploadLimits;
  readonly running: RunningHash | undefined;
};

/** Hashes what passes of a piece, and ends it where the blob is too large or the disk has no room. */
export function boundedPiece(folder: string, { begin, limits, running }: Bounds) {
  let size = begin;
  let lookedAt = begin;
  async function* pass(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > limits.mostBytes) throw tooLarge(limits);
      if (running !== undefined) {
        running.hash.update(chunk);
        running.bytes += chunk.length;
      }
      if (size - lookedAt >= limits.looksEveryBytes) {
        lookedAt = size;
        await requireRoom(folder, limits);
      }
      yield chunk;
    }
  }
  return { pass, size: () => size };
}

/** Refuses where the disk has less than has to stay free. */
export async function requireRoom(folder: string, limits: UploadLimits): Promise<void> {
  const { freeBytes, freeIn = freeOnDisk } = limits;
  if ((await freeIn(folder)) < freeBytes) throw noRoom();
}

async function freeOnDisk(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** The disk is full. */
export const noRoom = (): RegistryError =>
  new RegistryError("DENIED", "The registry's disk is full. Make room there, then push again.");

const tooLarge = ({ mostBytes }: UploadLimits): RegistryError =>
  new RegistryError("SIZE_INVALID", `A blob has at most ${mostBytes} bytes.`);
