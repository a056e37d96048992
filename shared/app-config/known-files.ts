import { nearestWord } from "../nearest-word.ts";
import { configFiles } from "./config-files.ts";
import { kindOfFile } from "./kind-of-file.ts";

const rootFiles = configFiles.flatMap(({ file }) => (file === undefined ? [] : [file]));

/** The folders of a config's root. */
export const knownFolders: readonly string[] = [
  ...new Set(configFiles.flatMap(({ folder = "" }) => folder.split("/", 1))),
].filter((folder) => folder !== "");

/** Why this is no file of a config; "ignored" for what is something else's. */
export function whyUnknown(name: string): string | undefined {
  const [first = "", ...deeper] = name.split("/");
  if (deeper.length === 0) return rootFiles.includes(first) ? undefined : unknownWords(name);
  if (kindOfFile(name) === undefined) {
    const meant = nearestWord(first, knownFolders);
    return meant === undefined ? "ignored" : `is in no folder of a config; did you mean ${meant}/?`;
  }
  return /[^/]\.toml$/.test(name) ? undefined : "is not read: its name must end with .toml";
}

/** That a file is none of a config, and which are. */
export function unknownWords(name: string): string {
  const known = [...rootFiles, ...knownFolders];
  const meant = nearestWord(name, known);
  const hint = meant === undefined ? `known are ${known.join(", ")}` : `did you mean ${meant}?`;
  return `is no file of a config; ${hint}`;
}
