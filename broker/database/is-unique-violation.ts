import postgres from "postgres";

/** Whether a statement failed because this unique index holds such a row already. */
export function isUniqueViolation(error: unknown, index: string): boolean {
  return (
    error instanceof postgres.PostgresError &&
    error.code === "23505" &&
    error.constraint_name === index
  );
}
