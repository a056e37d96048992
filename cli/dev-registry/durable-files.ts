import { randomUUID } from "node:crypto";
import { link, mkdir, open, rename, rm } from "node:fs/promises";
import path from "node:path";

/**
 * Writes a file whole: under another name first, then, when all of it is on the disk, under its own. Whoever reads sees the former file or
 * this one, whatever dies in between.
 */
export async function writeDurably(
  file: string,
  bytes: Uint8Array,
  temporary: string,
): Promise<void> {
  const next = path.join(temporary, randomUUID());
  const handle = await open(next, "wx", 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await moveDurably(next, file);
}

/** Gives a file that is on the disk its name, which is on the disk, too, when this resolves. */
export async function moveDurably(from: string, to: string): Promise<void> {
  await makeFolder(path.dirname(to));
  await rename(from, to);
  await syncFolder(path.dirname(to));
}

/** Gives a file a second name; one that is there already is the same. */
export async function linkDurably(from: string, to: string): Promise<void> {
  await makeFolder(path.dirname(to));
  await link(from, to).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  await syncFolder(path.dirname(to));
}

/** Takes a name away; answers whether there was one. */
export async function removeFile(file: string): Promise<boolean> {
  try {
    await rm(file);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Whether an error says that there is no such file. */
export const isMissing = (error: unknown): boolean =>
  ["ENOENT", "ENOTDIR"].includes(String((error as NodeJS.ErrnoException | null)?.code));

/** Folders that are new are on the disk with their names. */
async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let at = folder; at.length >= first.length; at = path.dirname(at))
    await syncFolder(path.dirname(at));
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
