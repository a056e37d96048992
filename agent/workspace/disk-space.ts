import { statfs } from "node:fs/promises";
import path from "node:path";
import { errorCode } from "../files/disk-error.ts";

/** A file system that jobs need space on, with its free space. */
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
/** Enough for the output of one more child. */
const mostOutput = 16 * mib;

/** Reads the free space of all file systems that jobs need. One that cannot be read counts as full. */
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
 * Why there is no space for a job; undefined when there is. A file system that was short must exceed its minimum by a
 * tenth before it counts as free again, so that single jobs do not switch the state back and forth.
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

/** The space that this user may still use on a file system. */
export type FreeRoom = {
  readonly bytes: number;
  /** Inodes; infinite where the file system does not count them. */
  readonly files: number;
};

/** The free space on the file system of the path, or of its nearest existing parent. */
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

/** Bytes that this user may still write there; 0 when the inodes are used up. */
export async function freeDisk(place: string): Promise<number> {
  const { bytes, files } = await freeRoom(place);
  return files === 0 ? 0 : bytes;
}
