import { statSync } from "node:fs";
import { userInfo } from "node:os";
import { ExitError } from "../exit-error.ts";

/**
 * Why a place on disk that the operator has chosen cannot be used, in one sentence with what to do; anything but the
 * system's refusal is what it was.
 */
export function unusablePath(error: unknown, what: string, place: string): unknown {
  const { code, path = place } = error as NodeJS.ErrnoException;
  const find = reasons[code ?? ""];
  if (find === undefined) return error;
  // A draft beside a file is named by chance, and says nothing to anybody.
  const where = path === place || path.endsWith(".tmp") ? "" : ` (${path})`;
  // Only a full disk passes by itself: then it is to be started again.
  return new ExitError(
    find === full ? "failed" : "config",
    `The ${what} ${place} cannot be used${where}: ${find(place)}`,
  );
}

type Reason = (place: string) => string;

const denied: Reason = (place) => {
  const advice = "make it belong to that user, or choose another place.";
  return `${whoAmI()} may not write there${ownerOf(place)}; ${advice}`;
};
const noFolder: Reason = () => "a file is in its place or on the way to it; choose another place.";
const readOnly: Reason = () => "its file system is read-only; choose another place.";
const full: Reason = () => "its file system is full; make room, or choose another place.";
const missing: Reason = () =>
  "it, or a link on the way to it, leads nowhere; choose another place.";

const reasons: Readonly<Record<string, Reason>> = {
  EACCES: denied,
  EPERM: denied,
  EEXIST: noFolder,
  ENOTDIR: noFolder,
  EISDIR: () => "a folder is in the place of a file of the agent's; choose another place.",
  EROFS: readOnly,
  ENOSPC: full,
  EDQUOT: full,
  ENOENT: missing,
  ELOOP: missing,
  ENAMETOOLONG: () => "its name is too long; choose another place.",
};

function whoAmI(): string {
  try {
    return `the user ${userInfo().username}`;
  } catch {
    return `the user ${process.getuid?.()}`; // it has no name here
  }
}

function ownerOf(place: string): string {
  try {
    return `, for it is the user ${statSync(place).uid}'s`;
  } catch {
    return "";
  }
}
