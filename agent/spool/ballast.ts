import { randomFillSync } from "node:crypto";
import { rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../files/disk-error.ts";
import { freeDisk } from "../workspace/disk-space.ts";

/** Room on a disk that is kept for the moment when there is no other. */
export type Ballast = {
  /** Does what writes; where the disk is full, gives the room up and does it once more. */
  readonly writing: (write: () => Promise<void>) => Promise<void>;
  /** Takes the room again, when there is plenty. Never rejects. */
  readonly restore: () => Promise<void>;
};

/** Results that end a job have a few KiB each; a larger one may find no room even here. */
const ballastBytes = 4 * 2 ** 20;
/** It is taken where there is so many times as much. */
const plenty = 8;
const startingBytes = 2 ** 20;

const fileIn = (dir: string): string => join(dir, "ballast");

/** Opens the ballast in a folder; what a former process has left there counts. */
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

/** What starts on a full disk needs room for itself first: with none, the ballast is given up. Never rejects. */
export async function makeRoomToStart(dir: string): Promise<void> {
  const free = await freeDisk(dir).catch(() => startingBytes);
  if (free < startingBytes) await rm(fileIn(dir), { force: true }).catch(() => {});
}

/** Bytes that no file system makes smaller. */
async function fill(file: string): Promise<true> {
  const bytes = randomFillSync(Buffer.allocUnsafe(ballastBytes));
  await writeFile(file, bytes, { mode: 0o600 });
  return true;
}
