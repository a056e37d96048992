import type { ConfigFolder } from "../../../shared/app-config/config-folder.ts";
import { decodeText } from "../../../shared/app-config/decode-text.ts";
import { isConfigName } from "../../../shared/app-config/is-config-name.ts";

/** Files by their paths as the directory of a config; where all are in one folder, as archives of whole folders have them, that folder. */
export function folderOfFiles(files: ReadonlyMap<string, Uint8Array>): ConfigFolder {
  const root = files.has("metadata.toml") ? "" : onlyFolder([...files.keys()]);
  const names = [...files.keys()].map((name) => name.slice(root.length));
  return {
    names: names.filter(isConfigName),
    read: (name) => {
      const bytes = files.get(root + name);
      return Promise.resolve(
        bytes === undefined
          ? { code: "missing_file", detail: "is not there", isAbsent: true }
          : decodeText(bytes),
      );
    },
  };
}

function onlyFolder(names: readonly string[]): string {
  const [first = ""] = names;
  const folder = first.slice(0, first.indexOf("/") + 1);
  const isOnly = names.every((name) => name.startsWith(folder));
  return isOnly && names.includes(`${folder}metadata.toml`) ? folder : "";
}
