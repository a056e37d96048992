const known: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is exceeded",
  EROFS: "the disk is read-only",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EIO: "the disk is failing",
};

/** The message of a failed write: which folder, and why. */
export function describeDiskError(dir: string, error: unknown): string {
  const code = errorCode(error) ?? "";
  const words = known[code] ?? (error instanceof Error ? error.message : String(error));
  return `cannot write to ${dir}: ${words}`;
}

/** The system's code of an error, such as ENOENT. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string"
    ? error.code
    : undefined;
}
