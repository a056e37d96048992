import postgres from "postgres";

/** Connection losses, shutdowns and crashes of Postgres, and statements it ended: worth another try. */
export function isDatabaseAway(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (error instanceof postgres.PostgresError)
    return /^(08|53|57P|57014|25006|40001|40P01)/.test(code);
  return /^(CONNECTION_|CONNECT_TIMEOUT|ECONN|EPIPE|ENOTFOUND|EHOSTUNREACH|ETIMEDOUT)/.test(code);
}

/** Whether a statement was given up because a lock did not come free in time; it changed nothing. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "55P03";
}

/** Whether Postgres refused values (class 22) or what they would break (class 23), and so changed nothing. */
export function isRefusal(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" && /^2[23][0-9A-Z]{3}$/.test(code);
}

/** Whether a statement failed because this unique index holds such a row already. */
export function isUniqueViolation(error: unknown, index: string): boolean {
  return (
    error instanceof postgres.PostgresError &&
    error.code === "23505" &&
    error.constraint_name === index
  );
}
