import { configFiles } from "./config-files.ts";

/** Whether a file of a directory, by its path from the config's root, is to be read as one of the config: what is hidden or another program's is not. */
export function isConfigName(name: string): boolean {
  const [first = "", ...deeper] = name.split("/");
  if (!name.endsWith(".toml") || first === "node_modules") return false;
  if (first.startsWith(".") || deeper.some((part) => part.startsWith("._"))) return false;
  return deeper.length < 2 || configFiles.some(({ folder }) => folder === first);
}
