import { execFile } from "node:child_process";
import { lstatSync } from "node:fs";
import { promisify } from "node:util";
import { isRoot } from "../job-users/run-as-user.ts";
import { imageFolder, storageFolder } from "./image-folder.ts";
import { openNamespaces } from "./open-namespaces.ts";

const run = promisify(execFile);
const path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/** Whoever puts another folder in its place does not have that one emptied. */
const emptyScript = '[ "$(stat -c %d:%i .)" = "$1" ] && exec find . -xdev -mindepth 1 -delete';

/**
 * Empties what the build of an image has left in a workspace: its files may be of ids that only namespaces like the
 * build's own reach. Does nothing where there is none.
 */
export async function clearStorage(workspace: string): Promise<void> {
  const folder = storageFolder(imageFolder(workspace));
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  if (stat === undefined || !stat.isDirectory()) return;
  // What is the job's own needs nothing of this, and who made it is not known.
  if (isRoot() && stat.uid === lstatSync(workspace).uid) return;
  // Where builds are not kept apart, they are root's.
  const isRoots = isRoot() && stat.uid === 0;
  const namespaces = isRoots ? undefined : await openNamespaces({ firstId: stat.uid, path });
  try {
    const enter = namespaces?.enter ?? [];
    const empty = ["sh", "-c", emptyScript, "svc-empty", `${stat.dev}:${stat.ino}`];
    const [program, ...args] = [...enter, ...empty] as [string, ...string[]];
    await run(program, args, { cwd: folder, env: { PATH: path, LC_ALL: "C" } });
  } finally {
    namespaces?.close();
  }
}
