import { randomUUID } from "node:crypto";
import { open, readdir, rename, rm, writeFile, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { errorCode } from "./disk-error.ts";

type Content = { readonly text: string | Uint8Array; readonly mode?: number };

/**
 * Replaces the file atomically; readers that have it open keep the old text. Mode 0600 by default; one writer at a
 * time.
 */
export async function writeAtomically(
  file: string,
  { text, mode = 0o600 }: Content,
): Promise<void> {
  await writeFile(`${file}.new`, text, { mode });
  await rename(`${file}.new`, file);
}

/** Writes the file atomically, with mode 0600. When it resolves, the file survives a power failure. */
export async function writeDurably(path: string, bytes: string | Uint8Array): Promise<void> {
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    await writeSynced(draft, bytes);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Removes what a process left that was killed while it wrote this file; nobody may be writing it. */
export async function sweepDrafts(file: string): Promise<void> {
  const names = await readdir(dirname(file)).catch(() => []); // where there is no folder there is no draft
  const drafts = names.filter(
    (name) => name.startsWith(basename(file)) && draftEnd.test(name.slice(basename(file).length)),
  );
  for (const name of drafts) await rm(join(dirname(file), name), { force: true });
}

const draftEnd = /^\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/;

/** Makes renames and removals in the folder survive a power failure. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function writeSynced(path: string, bytes: string | Uint8Array): Promise<void> {
  const file = await open(path, "w", 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A file's text; undefined when it does not exist. Other errors are thrown, because the file may hold something. */
export async function readIfExists(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return "";
    throw error;
  }
}
