import { rm } from "node:fs/promises";
import { ownFolder, removeJobFolder } from "../job-users/job-files.ts";

/** Takes a child's folder away, also while its supervisor or its carrier still writes the last of it there. */
export async function removeChildFolder(dir: string): Promise<void> {
  await removeJobFolder(ownFolder(dir));
  await rm(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
}
