import { existsSync, lstatSync, constants } from "node:fs";
import { mkdir, open, rm, rmdir, type FileHandle } from "node:fs/promises";
import path from "node:path";
import { writeAtomically } from "../files/atomic-file.ts";
import { isRoot, runAsUser } from "./run-as-user.ts";

/** The user of a job's folders; undefined where it is the agent's own. */
export type FileOwner = number | undefined;

/** Makes folders for a job, 0700 and its own; those that are there stay. */
export async function makeJobFolders(folders: readonly string[], owner: FileOwner): Promise<void> {
  if (owner === undefined) {
    for (const folder of folders) await mkdir(folder, { recursive: true, mode: 0o700 });
  } else {
    await runAsUser(owner, { script: 'umask 077; exec mkdir -p -- "$@"', args: folders });
  }
}

/** What a job has put in its place, a pipe that nobody reads for one, is removed, and not written into. */
const writeScript =
  'umask 077; rm -rf -- "$1.new"; set -C; cat >"$1.new" && exec mv -f -- "$1.new" "$1"';

/** Replaces a file in a job's own folder whole, 0600. */
export async function writeJobFile(
  file: string,
  text: string | Uint8Array,
  owner: FileOwner,
): Promise<void> {
  if (owner === undefined) {
    await rm(`${file}.new`, { recursive: true, force: true });
    await writeAtomically(file, { text });
  } else await runAsUser(owner, { script: writeScript, args: [file], input: text });
}

/**
 * Writes the file unless it is there: after a takeover the job's processes may be reading it, or have changed it for
 * those that come after them.
 */
export async function writeJobFileOnce(
  file: string,
  text: string | Uint8Array,
  owner: FileOwner,
): Promise<void> {
  if (!existsSync(file)) await writeJobFile(file, text, owner);
}

/** Makes a file of a job's, empty, unless it is there. */
export async function touchJobFile(file: string, owner: FileOwner): Promise<void> {
  if (existsSync(file)) return;
  if (owner !== undefined) return await writeJobFile(file, "", owner);
  await (await open(file, "a", 0o600)).close();
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
/** Linux's, which Node does not name: the place alone is opened, and nothing happens to what is there. */
const O_PATH = 0o10_000_000;

/**
 * Opens a file that a job wrote, to be read. A link at its end is not followed (ELOOP), nobody is waited for, and of
 * a job's user only its own ordinary file is opened (EACCES), whatever links lead to the place.
 */
export async function openJobFile(file: string, owner: FileOwner): Promise<FileHandle> {
  if (owner === undefined) return await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  const place = await open(file, O_PATH | O_NOFOLLOW);
  try {
    const stat = await place.stat();
    if (stat.isSymbolicLink()) throw refusal("ELOOP");
    if (!stat.isFile() || stat.uid !== owner) throw refusal("EACCES");
    return await open(`/proc/self/fd/${place.fd}`, O_RDONLY | O_NONBLOCK);
  } finally {
    await place.close();
  }
}

/** The text of such a file, its beginning; empty where it is not available. */
export async function readJobText(
  file: string,
  owner: FileOwner,
  mostBytes: number,
): Promise<string> {
  const handle = await openJobFile(file, owner).catch(() => undefined);
  if (handle === undefined) return "";
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(mostBytes), 0, mostBytes, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } catch {
    return "";
  } finally {
    await handle.close();
  }
}

/**
 * Takes a folder away that may be a job's user's: that user empties it, for whom no link leads anywhere that is not
 * its own. Throws when something stays.
 */
export async function removeJobFolder(folder: string): Promise<void> {
  const owner = foreignOwnerOf(folder);
  if (owner === undefined) {
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    return;
  }
  // It cannot remove the folder itself, which lies in the agent's.
  const script = 'chmod -R u+rwX -- "$1" 2>/dev/null; rm -rf -- "$1" 2>/dev/null; exit 0';
  await runAsUser(owner, { script, args: [folder] });
  await rmdir(folder);
}

/** Whose a folder is, if an agent that is root finds it to be somebody else's. */
function foreignOwnerOf(folder: string): number | undefined {
  const uid = lstatSync(folder, { throwIfNoEntry: false })?.uid ?? 0;
  return isRoot() && uid !== 0 ? uid : undefined;
}

/** Where in the folder of a job, which is the agent's, the job's user has its own. */
export function ownFolder(folder: string): string {
  return path.join(folder, "own");
}

function refusal(code: string): Error {
  return Object.assign(new Error(`the file is not the job's (${code})`), { code });
}
