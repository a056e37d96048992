import { statfs } from "node:fs/promises";
import path from "node:path";
import { errorCode } from "../files/disk-error.ts";

/** A place that jobs need room in, and what it has. */
export type DiskSpace = FreeRoom & {
  readonly name: "data" | "work" | "run";
  readonly dir: string;
  readonly floor: FreeRoom;
};

export type RoomSpec = {
  readonly dataDir: string;
  readonly workDir: string;
  readonly runDir: string;
  readonly minFreeDisk: number;
  readonly minFreeInodes: number;
};

const mib = 2 ** 20;
/** The output of one more child fits. */
const mostOutput = 16 * mib;

/** How much room there is wherever jobs need some. A place that cannot be looked at has none. */
export async function readDiskSpaces(spec: RoomSpec): Promise<DiskSpace[]> {
  const { dataDir, workDir, runDir, minFreeDisk, minFreeInodes } = spec;
  const floor = { bytes: minFreeDisk, files: minFreeInodes };
  const wanted = [
    { name: "data", dir: dataDir, floor },
    { name: "work", dir: workDir, floor },
    { name: "run", dir: runDir, floor: { bytes: Math.min(minFreeDisk, mostOutput), files: 0 } },
  ] as const;
  return await Promise.all(
    wanted.map(async (place) => ({ ...place, ...(await freeRoom(place.dir).catch(noRoom)) })),
  );
}

function noRoom(error: unknown): FreeRoom {
  if (errorCode(error) === undefined) throw error;
  return { bytes: 0, files: 0 };
}

/**
 * Why a job has no room there, in words. A place that had none before must be a tenth above its floor: a job that ends
 * and another that begins are no reason to turn back and forth.
 */
export function diskShortage(
  { dir, bytes, files, floor }: DiskSpace,
  hadNone: boolean,
): string | undefined {
  const above = (least: number): number => (hadNone ? least + least / 10 : least);
  if (bytes < above(floor.bytes)) {
    const [has, least] = [bytes, floor.bytes].map((size) => Math.floor(size / mib));
    return `disk is full: ${dir} has ${has} MiB free, the minimum is ${least} MiB (min-free-disk)`;
  }
  if (files < above(floor.files)) {
    return `disk is full: ${dir} has ${files} free inodes, the minimum is ${floor.files} (min-free-inodes)`;
  }
  return undefined;
}

/** What this user may still put on a file system. */
export type FreeRoom = {
  readonly bytes: number;
  /** Files and folders; without end where the file system does not count them. */
  readonly files: number;
};

/** The room on the file system of the path, or of its nearest folder that is there. */
export async function freeRoom(place: string): Promise<FreeRoom> {
  try {
    const { bavail, bfree, bsize, ffree, files } = await statfs(place);
    return {
      bytes: bsize * (process.getuid?.() === 0 ? bfree : bavail),
      files: files > 0 ? ffree : Number.POSITIVE_INFINITY,
    };
  } catch (error) {
    const folder = path.dirname(place);
    const isGone = error instanceof Error && "code" in error && error.code === "ENOENT";
    if (!isGone || folder === place) throw error;
    return await freeRoom(folder);
  }
}

/** Bytes that this user may still write there: none where there is room for bytes, but for no file. */
export async function freeDisk(place: string): Promise<number> {
  const { bytes, files } = await freeRoom(place);
  return files === 0 ? 0 : bytes;
}
