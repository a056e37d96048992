import { readdirSync } from "node:fs";
import { chmod, chown, mkdir, readdir } from "node:fs/promises";
import path from "node:path";
import { clearStorage } from "../image-builds/clear-storage.ts";
import { type FileOwner, removeJobFolder } from "../job-users/job-files.ts";
import { isRoot } from "../job-users/run-as-user.ts";

/**
 * Makes the execution's workspace directory: mode 0700, empty, with its owner. Returns its path. An earlier one is
 * removed.
 */
export async function makeWorkspace(
  workDir: string,
  executionId: string,
  owner?: FileOwner,
): Promise<string> {
  await removeWorkspace(workDir, executionId);
  const folder = path.join(workDir, executionId);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  if (owner !== undefined) await chown(folder, owner, owner);
  return folder;
}

/**
 * Removes the execution's workspace directory, whatever the modes of its files and even if something still writes
 * there. Returns a message if something is left; never throws.
 */
export async function removeWorkspace(
  workDir: string,
  executionId: string,
): Promise<string | undefined> {
  const folder = path.join(workDir, executionId);
  // What stays of it is seen below.
  await clearStorage(folder).catch(() => {});
  const first = await remove(folder);
  if (first === undefined) return undefined;
  // Root need not, and would change the targets of a job's links.
  if (!isRoot()) await openUp(folder);
  const second = await remove(folder);
  return second && `The workspace ${folder} could not be removed: ${second}.`;
}

/**
 * Removes the workspace directories of all executions except the given ones. Returns how many there were, and messages
 * about what stays.
 */
export async function sweepWorkspaces(
  workDir: string,
  keep: ReadonlySet<string>,
): Promise<{ removed: number; words: string[] }> {
  const words: string[] = [];
  await mkdir(workDir, { recursive: true, mode: 0o700 });
  // Other entries are not ours: a workspace directory is named after an execution.
  const names = readdirSync(workDir).filter((name) => name.startsWith("exe_") && !keep.has(name));
  for (const name of names) {
    const left = await removeWorkspace(workDir, name);
    if (left !== undefined) words.push(left);
  }
  return { removed: names.length - words.length, words };
}

/** The error code that says why it is still there. */
async function remove(folder: string): Promise<string | undefined> {
  try {
    await removeJobFolder(folder);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "unknown reasons";
  }
}

/** Restores the permission to empty every folder in it; follows no link. */
async function openUp(folder: string): Promise<void> {
  await chmod(folder, 0o700).catch(() => {}); // what cannot be changed is reported when it cannot be removed
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (entry.isDirectory()) await openUp(path.join(folder, entry.name));
  }
}
