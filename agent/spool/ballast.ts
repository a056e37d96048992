import { randomFillSync } from "node:crypto";
import { rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../files/disk-error.ts";
import { freeDisk } from "../workspace/disk-space.ts";

/** Disk space that is reserved for when the disk is full. */
export type Ballast = {
  /** Runs a write; when the disk is full, frees the reserve and runs it again. */
  readonly writing: (write: () => Promise<void>) => Promise<void>;
  /** Reserves the space again, when there is plenty. */
  readonly restore: () => Promise<void>;
};

/** A typical result has a few KiB; a larger one may not fit even here. */
const ballastBytes = 4 * 2 ** 20;
/** It is reserved only where this many times as much is free. */
const plenty = 8;
const startingBytes = 2 ** 20;

const fileIn = (dir: string): string => join(dir, "ballast");

/** Opens the reserve in a folder; one of an earlier process is used again. */
export async function openBallast(dir: string): Promise<Ballast> {
  const file = fileIn(dir);
  let isThere = await stat(file).then(
    () => true,
    () => false,
  );
  const restore = async (): Promise<void> => {
    if (isThere || (await freeDisk(dir).catch(() => 0)) < plenty * ballastBytes) return;
    isThere = await fill(file).catch(() => false);
    if (!isThere) await rm(file, { force: true }).catch(() => {});
  };
  await restore();
  return {
    restore,
    async writing(write) {
      try {
        await write();
      } catch (error) {
        if (!isThere || !["ENOSPC", "EDQUOT"].includes(errorCode(error) ?? "")) throw error;
        await rm(file, { force: true });
        isThere = false;
        await write();
      }
    },
  };
}

/** An agent that starts on a full disk needs space itself first: then the reserve is freed. Never rejects. */
export async function makeRoomToStart(dir: string): Promise<void> {
  const free = await freeDisk(dir).catch(() => startingBytes);
  if (free < startingBytes) await rm(fileIn(dir), { force: true }).catch(() => {});
}

/** Random bytes, which no file system compresses. */
async function fill(file: string): Promise<true> {
  const bytes = randomFillSync(Buffer.allocUnsafe(ballastBytes));
  await writeFile(file, bytes, { mode: 0o600 });
  return true;
}
