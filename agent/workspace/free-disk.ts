import { statfs } from "node:fs/promises";
import path from "node:path";

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
