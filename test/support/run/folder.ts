import { chmod, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { afterFile } from "./after-file.ts";

/** How a folder is removed where a process that was killed an instant ago may still write: with a moment for its end. */
export const patiently = { recursive: true, maxRetries: 10, retryDelay: 50 } as const;

/** An empty folder for one test, removed after it; any user may pass through it unless told otherwise. */
export async function testFolder(mode = 0o711): Promise<string> {
  const { folder, remove } = await makeFolder(mode);
  onTestFinished(remove);
  return folder;
}

/** The same for all tests of a file. */
export async function fileFolder(mode = 0o711): Promise<string> {
  const { folder, remove } = await makeFolder(mode);
  afterFile(remove);
  return folder;
}

async function makeFolder(mode: number) {
  const folder = await mkdtemp(path.join(await realpath(tmpdir()), "svc-test-"));
  await chmod(folder, mode);
  return { folder, remove: async () => await rm(folder, { ...patiently, force: true }) };
}
