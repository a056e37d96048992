/** The package of a policy's text, by its first line that says something; empty where that is none. */
export function packageOf(contents: string): string {
  const lines = contents.split("\n").map((line) => line.trim());
  const first = lines.find((line) => line !== "" && !line.startsWith("#"));
  return /^package\s+(\w+)(?:\s*#.*)?$/.exec(first ?? "")?.[1] ?? "";
}
