/** What a program that failed has printed, as the error of its call has it. */
export function textIn(error: unknown, stream: "stdout" | "stderr"): string {
  const text = (error as Readonly<Record<string, unknown>>)[stream];
  return typeof text === "string" ? text : "";
}
