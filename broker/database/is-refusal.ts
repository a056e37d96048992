/** Whether Postgres refused values (class 22) or what they would break (class 23), and so changed nothing. */
export function isRefusal(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" && /^2[23][0-9A-Z]{3}$/.test(code);
}
