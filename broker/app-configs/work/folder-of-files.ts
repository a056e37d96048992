import { archivedDocument, type ConfigFolder } from "../../../shared/app-config/config-folder.ts";
import { decodeText } from "../../../shared/app-config/decode-text.ts";
import { isConfigName } from "../../../shared/app-config/is-config-name.ts";
import type { FolderEntry } from "../../../shared/tar/pack-entries.ts";
import type { ArchiveFiles } from "./archive-files.ts";

/** A directory that came as an archive. */
export type ArchivedFolder = ConfigFolder &
  Required<Pick<ConfigFolder, "readSources">> & {
    /** The bytes of the config's JSON document, which says all of it then. */
    readonly document: Uint8Array | undefined;
    /** Where it is in the archive, with a slash at its end; empty for the archive's root. */
    readonly root: string;
  };

/** Files by their paths as the directory of a config; where all are in one folder, as archives of whole folders have them, that folder. */
export function folderOfFiles(archive: ArchiveFiles): ArchivedFolder {
  const { files, links } = archive;
  const isRoot = files.has("metadata.toml") || files.has(archivedDocument);
  const root = isRoot ? "" : onlyFolder([...files.keys(), ...links.keys()]);
  const names = [...files.keys()].map((name) => name.slice(root.length));
  return {
    names: names.filter(isConfigName),
    document: files.get(archivedDocument),
    root,
    read: (name) => {
      const bytes = files.get(root + name);
      return Promise.resolve(
        bytes === undefined
          ? { code: "missing_file", detail: "is not there", isAbsent: true }
          : decodeText(bytes),
      );
    },
    readSources: (directory) =>
      Promise.resolve(entriesWithin(archive, root + (directory === "" ? "" : `${directory}/`))),
  };
}

function entriesWithin(
  { files, executables, links }: ArchiveFiles,
  folder: string,
): readonly FolderEntry[] {
  const isOfIt = (name: string): boolean => name.startsWith(folder);
  const own = [...files].flatMap(([name, bytes]): FolderEntry[] =>
    isOfIt(name)
      ? [
          {
            name: name.slice(folder.length),
            kind: "file",
            isExecutable: executables.has(name),
            target: "",
            bytes,
          },
        ]
      : [],
  );
  const linked = [...links].flatMap(([name, target]): FolderEntry[] =>
    isOfIt(name)
      ? [
          {
            name: name.slice(folder.length),
            kind: "link",
            isExecutable: false,
            target,
            bytes: none,
          },
        ]
      : [],
  );
  return [...own, ...linked];
}

const none = new Uint8Array();

function onlyFolder(names: readonly string[]): string {
  const [first = ""] = names;
  const folder = first.slice(0, first.indexOf("/") + 1);
  const isOnly = names.every((name) => name.startsWith(folder));
  return isOnly && names.includes(`${folder}metadata.toml`) ? folder : "";
}
