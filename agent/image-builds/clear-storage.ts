import { execFile } from "node:child_process";
import { closeSync, fstatSync, lstatSync } from "node:fs";
import { basename } from "node:path";
import { promisify } from "node:util";
import { isRoot } from "../job-users/run-as-user.ts";
import { clearLayers } from "./clear-layers.ts";
import { imageFolder, storageFolder } from "./image-folder.ts";
import { openFolder, placeOfOpened } from "./open-folder.ts";
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
  clearLayers(imageFolder(workspace));
  const opened = openStorage(workspace);
  if (opened === undefined) return;
  try {
    await empty(opened, lstatSync(workspace).uid);
  } finally {
    closeSync(opened);
  }
}

/** Undefined where there is none, or a link on the way: the folder above it is the job's, which can put anything there. */
function openStorage(workspace: string): number | undefined {
  try {
    const image = imageFolder(workspace);
    return openFolder(workspace, basename(image), basename(storageFolder(image)));
  } catch {
    return undefined;
  }
}

async function empty(opened: number, owner: number): Promise<void> {
  const stat = fstatSync(opened);
  // What is the job's own needs nothing of this, and who made it is not known.
  if (isRoot() && stat.uid === owner) return;
  // Where builds are not kept apart, they are root's.
  const isRoots = isRoot() && stat.uid === 0;
  const namespaces = isRoots ? undefined : await openNamespaces({ firstId: stat.uid, path });
  try {
    const enter = namespaces?.enter ?? [];
    const script = ["sh", "-c", emptyScript, "svc-empty", `${stat.dev}:${stat.ino}`];
    const [program, ...args] = [...enter, ...script] as [string, ...string[]];
    await run(program, args, { cwd: placeOfOpened(opened), env: { PATH: path, LC_ALL: "C" } });
  } finally {
    namespaces?.close();
  }
}
