import { kindOfFile } from "./kind-of-file.ts";

/** Whether a file of a directory, by its path from the config's root, is to be read as one of the config: what is hidden or another program's is not. */
export function isConfigName(name: string): boolean {
  if (!name.endsWith(".toml")) return false;
  const parts = name.split("/");
  if (parts.some((part) => part.startsWith(".") || part === "node_modules")) return false;
  return parts.length < 3 || kindOfFile(name) !== undefined;
}
