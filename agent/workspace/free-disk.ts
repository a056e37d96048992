import { statfs } from "node:fs/promises";
import path from "node:path";

/** Bytes that this user may still write to the file system of the path, or of its nearest folder that is there. */
export async function freeDisk(place: string): Promise<number> {
  try {
    const { bavail, bfree, bsize, ffree, files } = await statfs(place);
    if (files > 0 && ffree === 0) return 0; // room for bytes, but for no file
    return bsize * (process.getuid?.() === 0 ? bfree : bavail);
  } catch (error) {
    const folder = path.dirname(place);
    const isGone = error instanceof Error && "code" in error && error.code === "ENOENT";
    if (!isGone || folder === place) throw error;
    return await freeDisk(folder);
  }
}
