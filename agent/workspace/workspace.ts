import { readdirSync } from "node:fs";
import { chmod, mkdir, readdir, rm } from "node:fs/promises";
import path from "node:path";

/** Makes the execution's workspace, 0700 and empty; answers its path. What an earlier one left is gone. */
export async function makeWorkspace(workDir: string, executionId: string): Promise<string> {
  await removeWorkspace(workDir, executionId);
  const folder = path.join(workDir, executionId);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  return folder;
}

/**
 * Takes the execution's workspace away, whatever rights its files have and whoever still writes there; words if
 * something is left all the same. It never throws.
 */
export async function removeWorkspace(
  workDir: string,
  executionId: string,
): Promise<string | undefined> {
  const folder = path.join(workDir, executionId);
  const first = await remove(folder);
  if (first === undefined) return undefined;
  await openUp(folder);
  const second = await remove(folder);
  return second && `The workspace ${folder} could not be removed: ${second}.`;
}

/** Takes away the workspaces of all executions but those named: how many there were, and words for what stays. */
export async function sweepWorkspaces(
  workDir: string,
  keep: ReadonlySet<string>,
): Promise<{ removed: number; words: string[] }> {
  const words: string[] = [];
  await mkdir(workDir, { recursive: true, mode: 0o700 });
  // Other things in there are not ours: a workspace has an execution's name.
  const names = readdirSync(workDir).filter((name) => name.startsWith("exe_") && !keep.has(name));
  for (const name of names) {
    const left = await removeWorkspace(workDir, name);
    if (left !== undefined) words.push(left);
  }
  return { removed: names.length - words.length, words };
}

/** The kernel's word for why it is still there. */
async function remove(folder: string): Promise<string | undefined> {
  try {
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "unknown reasons";
  }
}

/** Gives us back the right to empty every folder in it; follows no link. */
async function openUp(folder: string): Promise<void> {
  await chmod(folder, 0o700).catch(() => {}); // what cannot be changed shows when it cannot be removed
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (entry.isDirectory()) await openUp(path.join(folder, entry.name));
  }
}
