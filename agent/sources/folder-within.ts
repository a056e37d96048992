import { realpath, stat } from "node:fs/promises";
import path from "node:path";
import { JobFailure } from "../jobs/job-failure.ts";

/**
 * Resolves a folder within a source or a workspace directory, following links. Throws when it is outside or no folder;
 * `title` begins the message.
 */
export async function folderWithin(
  root: string,
  directory: string,
  title: string,
): Promise<string> {
  const wanted = path.resolve(root, directory);
  const found = await realpath(wanted).catch(() => undefined);
  const isFolder = found !== undefined && (await stat(found)).isDirectory();
  if (!isFolder) {
    throw new JobFailure(`${title}: its working directory ${directory || "."} does not exist.`, {
      reason: "source_unavailable",
      metadata: { class: "not_found" },
    });
  }
  const base = await realpath(root);
  if (found !== base && !found.startsWith(`${base}${path.sep}`)) {
    throw new JobFailure(`${title}: its working directory ${directory} is outside of the source.`, {
      reason: "plan_invalid",
    });
  }
  return found;
}
