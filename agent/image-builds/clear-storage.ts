import { execFile } from "node:child_process";
import { lstatSync } from "node:fs";
import { promisify } from "node:util";
import { isRoot } from "../job-users/run-as-user.ts";
import { imageFolder, storageFolder } from "./image-folder.ts";
import { openNamespaces } from "./open-namespaces.ts";

const run = promisify(execFile);
const path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/**
 * Empties what the build of an image has left in a workspace: its files may be of ids that only namespaces like the
 * build's own reach, and no others are touched. Does nothing where there is none.
 */
export async function clearStorage(workspace: string): Promise<void> {
  const folder = storageFolder(imageFolder(workspace));
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  if (stat === undefined || !stat.isDirectory()) return;
  // What is the job's own needs nothing of this, and who made it is not known.
  if (isRoot() && (stat.uid === 0 || stat.uid === lstatSync(workspace).uid)) return;
  const namespaces = await openNamespaces({ firstId: stat.uid, path });
  try {
    const [program, ...args] = [
      ...namespaces.enter,
      "find",
      ".",
      "-xdev",
      "-mindepth",
      "1",
      "-delete",
    ];
    await run(program, args, { cwd: folder, env: { PATH: path, LC_ALL: "C" } });
  } finally {
    namespaces.close();
  }
}
