/** Whether a statement was given up because a lock did not come free in time; it changed nothing. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "55P03";
}
