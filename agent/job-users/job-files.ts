import { existsSync, lstatSync, constants } from "node:fs";
import { mkdir, open, rename, rm, rmdir, symlink, type FileHandle } from "node:fs/promises";
import path from "node:path";
import { writeAtomically } from "../files/atomic-file.ts";
import { isRoot, runAsUser } from "./run-as-user.ts";

/** The owner of a job's directories; undefined means the agent's own user. */
export type FileOwner = number | undefined;

/** Makes directories for a job, with mode 0700 and its owner; existing ones stay. */
export async function makeJobFolders(folders: readonly string[], owner: FileOwner): Promise<void> {
  if (owner === undefined) {
    for (const folder of folders) await mkdir(folder, { recursive: true, mode: 0o700 });
  } else {
    await runAsUser(owner, { script: 'umask 077; exec mkdir -p -- "$@"', args: folders });
  }
}

/** Whatever a job put in its place, such as a pipe without a reader, is removed and not written to. */
const writeScript =
  'umask 077; rm -rf -- "$1.new"; set -C; cat >"$1.new" && exec mv -f -- "$1.new" "$1"';

/** Replaces a file in a job's own directory atomically, with mode 0600. */
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
 * Writes the file unless it exists: after a restart of the agent the job's processes may be reading it, or may have
 * changed it for later ones.
 */
export async function writeJobFileOnce(
  file: string,
  text: string | Uint8Array,
  owner: FileOwner,
): Promise<void> {
  if (!existsSync(file)) await writeJobFile(file, text, owner);
}

const linkScript = 'rm -rf -- "$1.new"; ln -s -- "$2" "$1.new" && exec mv -f -- "$1.new" "$1"';

/** Replaces a file in a job's own directory, atomically, by a link to another. */
export async function linkJobFile(file: string, to: string, owner: FileOwner): Promise<void> {
  if (owner !== undefined) return await runAsUser(owner, { script: linkScript, args: [file, to] });
  await rm(`${file}.new`, { recursive: true, force: true });
  await symlink(to, `${file}.new`);
  await rename(`${file}.new`, file);
}

/** Removes files and folders of a job's own directory; throws when one stays. */
export async function removeJobFiles(files: readonly string[], owner: FileOwner): Promise<void> {
  if (owner === undefined)
    for (const file of files) await rm(file, { recursive: true, force: true });
  else await runAsUser(owner, { script: 'exec rm -rf -- "$@"', args: files });
}

/** Makes an empty file of a job, unless it exists. */
export async function touchJobFile(file: string, owner: FileOwner): Promise<void> {
  if (existsSync(file)) return;
  if (owner !== undefined) return await writeJobFile(file, "", owner);
  await (await open(file, "a", 0o600)).close();
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
/** O_PATH, which Node does not export: it opens the location without touching what is there. */
const O_PATH = 0o10_000_000;

/**
 * Opens a file that a job wrote, for reading. A link at its end is not followed (ELOOP), opening a pipe does not
 * block, and with a job user only its own regular files are opened (EACCES), wherever links lead.
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

const pieceBytes = 64 * 1_024;

/** The beginning of such a file as text; empty when it cannot be read. */
export async function readJobText(
  file: string,
  owner: FileOwner,
  mostBytes: number,
): Promise<string> {
  const handle = await openJobFile(file, owner).catch(() => undefined);
  if (handle === undefined) return "";
  try {
    return (await readPieces(handle, mostBytes)).toString("utf8");
  } catch {
    return "";
  } finally {
    await handle.close();
  }
}

/** As much memory as there is to read, however much there may be. */
async function readPieces(handle: FileHandle, mostBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (let at = 0; at < mostBytes;) {
    const piece = Buffer.allocUnsafe(Math.min(pieceBytes, mostBytes - at));
    const { bytesRead } = await handle.read(piece, 0, piece.length, at);
    if (bytesRead === 0) break;
    pieces.push(piece.subarray(0, bytesRead));
    at += bytesRead;
  }
  return Buffer.concat(pieces);
}

/**
 * Removes a directory that may belong to a job's user: that user empties it, because links cannot lead it to files
 * that are not its own. Throws when something stays.
 */
export async function removeJobFolder(folder: string): Promise<void> {
  const owner = foreignOwnerOf(folder);
  if (owner === undefined) {
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    return;
  }
  // The user cannot remove the directory itself, whose parent belongs to the agent.
  const script = 'chmod -R u+rwX -- "$1" 2>/dev/null; rm -rf -- "$1" 2>/dev/null; exit 0';
  await runAsUser(owner, { script, args: [folder] });
  await rmdir(folder);
}

/** The owner of a directory, when the agent is root and the owner is another user. */
function foreignOwnerOf(folder: string): number | undefined {
  const uid = lstatSync(folder, { throwIfNoEntry: false })?.uid ?? 0;
  return isRoot() && uid !== 0 ? uid : undefined;
}

/** The subdirectory of the job's user in the agent's directory for the job. */
export function ownFolder(folder: string): string {
  return path.join(folder, "own");
}

function refusal(code: string): Error {
  return Object.assign(new Error(`the file is not the job's (${code})`), { code });
}
