import { type ConfigFile, configFiles } from "./config-files.ts";

const byFile = new Map(configFiles.flatMap((kind) => (kind.file ? [[kind.file, kind]] : [])));
const byFolder = new Map(configFiles.flatMap((kind) => (kind.folder ? [[kind.folder, kind]] : [])));

/** The kind of a file of a config's directory, by its path from the root; what is in a folder of a kind's folder is of that kind, too. */
export function kindOfFile(name: string): ConfigFile | undefined {
  const [first = "", second, ...deeper] = name.split("/");
  if (second === undefined) return byFile.get(first);
  const inner = deeper.length > 0 ? byFolder.get(`${first}/${second}`) : undefined;
  return inner ?? byFolder.get(first);
}
