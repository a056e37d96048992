import postgres from "postgres";

/** Connection losses, shutdowns and crashes of Postgres, and statements it ended: worth another try. */
export function isDatabaseAway(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (error instanceof postgres.PostgresError)
    return /^(08|53|57P|57014|25006|40001|40P01)/.test(code);
  return /^(CONNECTION_|CONNECT_TIMEOUT|ECONN|EPIPE|ENOTFOUND|EHOSTUNREACH|ETIMEDOUT)/.test(code);
}
