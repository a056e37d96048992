import { copyFile, constants, link } from "node:fs/promises";

/** Gives a file that never changes a second name, or a copy where its disk is another. Answers whether it was there. */
export async function linkOrCopy(from: string, into: string): Promise<boolean> {
  try {
    await link(from, into);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return false;
    if (code !== "EXDEV" && code !== "EPERM" && code !== "EMLINK") throw error;
  }
  await copyFile(from, into, constants.COPYFILE_FICLONE);
  return true;
}
