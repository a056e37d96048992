import { statSync } from "node:fs";
import { userInfo } from "node:os";
import { ExitError } from "../exit-error.ts";

/**
 * Explains why a configured path cannot be used, and what to do. Other errors than the system's are returned
 * unchanged.
 */
export function unusablePath(error: unknown, what: string, place: string): unknown {
  const { code, path = place } = error as NodeJS.ErrnoException;
  const find = reasons[code ?? ""];
  if (find === undefined) return error;
  // The temporary file beside it has a random name, which would not help.
  const where = path === place || path.endsWith(".tmp") ? "" : ` (${path})`;
  // Only a full disk may pass by itself, so that a restart helps.
  return new ExitError(
    find === full ? "failed" : "config",
    `Cannot use the ${what} ${place}${where}: ${find(place)}`,
  );
}

type Reason = (place: string) => string;

const denied: Reason = (place) => {
  const advice = "change its owner, or choose another directory.";
  return `${whoAmI()} has no write permission${ownerOf(place)}; ${advice}`;
};
const noFolder: Reason = () => "it or one of its parents is a file; choose another directory.";
const readOnly: Reason = () => "its file system is read-only; choose another directory.";
const full: Reason = () => "its file system is full; free some space, or choose another directory.";
const missing: Reason = () =>
  "it does not exist, or a symbolic link in it is broken; choose another directory.";

const reasons: Readonly<Record<string, Reason>> = {
  EACCES: denied,
  EPERM: denied,
  EEXIST: noFolder,
  ENOTDIR: noFolder,
  EISDIR: () => "a directory has the name of one of the agent's files; choose another directory.",
  EROFS: readOnly,
  ENOSPC: full,
  EDQUOT: full,
  ENOENT: missing,
  ELOOP: missing,
  ENAMETOOLONG: () => "its path is too long; choose another directory.",
};

function whoAmI(): string {
  try {
    return `the user ${userInfo().username}`;
  } catch {
    return `the user ${process.getuid?.()}`; // there is no special text for it
  }
}

function ownerOf(place: string): string {
  try {
    return ` (its owner is user ${statSync(place).uid})`;
  } catch {
    return "";
  }
}
