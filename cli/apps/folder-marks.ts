import { realpath, stat } from "node:fs/promises";
import path from "node:path";
import type { ConfigFolder } from "../../shared/app-config/config-folder.ts";
import { openConfigFolder } from "./open-config-folder.ts";
import { listSources } from "./read-sources.ts";

/** What of a directory was read, and how it was then. */
export type FolderMarks = {
  /** The same directory, of which it is written down what is read. */
  readonly watched: (folder: ConfigFolder) => ConfigFolder;
  /** "same", or how it is otherwise now: equal texts for equal states. */
  readonly look: () => Promise<string>;
};

/**
 * Writes down which files of a directory are read, each as it is just before: what changes meanwhile is seen by the next
 * look. Files that nobody reads do not count. Looking works on all file systems, and when editors replace files.
 */
export async function recordMarks(root: string): Promise<FolderMarks> {
  const marks = new Map<string, string>();
  const folders = new Map<string, string>();
  let names = await namesOf(root);
  return {
    watched: (folder) => {
      names = listOf(folder);
      return {
        ...folder,
        read: async (name) => {
          marks.set(name, await markOf(path.join(root, name)));
          return await folder.read(name);
        },
        readSources: async (directory) => {
          folders.set(directory, await folderMark(root, directory));
          return (await folder.readSources?.(directory)) ?? [];
        },
      };
    },
    look: async () => {
      const nowNames = await namesOf(root);
      const now = await Promise.all(
        [...marks.keys()].map(async (name) => [name, await markOf(path.join(root, name))]),
      );
      const nowFolders = await Promise.all(
        [...folders.keys()].map(async (name) => [name, await folderMark(root, name)]),
      );
      const isSame =
        nowNames === names &&
        now.every(([name = "", mark]) => marks.get(name) === mark) &&
        nowFolders.every(([name = "", mark]) => folders.get(name) === mark);
      return isSame ? "same" : JSON.stringify([nowNames, now, nowFolders]);
    },
  };
}

/** Of no directory: as of an empty one. */
async function namesOf(root: string): Promise<string> {
  const folder = await openConfigFolder(root).catch(() => undefined);
  return folder === undefined ? "" : listOf(folder);
}

/** Its files, and the folders that it may not have. */
const listOf = ({ names, refused }: ConfigFolder): string =>
  [...names, ...(refused?.keys() ?? [])].toSorted().join("\n");

/** Of all files of a folder that a component is built from. */
async function folderMark(root: string, directory: string): Promise<string> {
  const base = await realpath(root).catch(() => root);
  const listed = await listSources(base, directory).catch(() => undefined);
  if (listed === undefined || "code" in listed) return "none";
  return listed
    .map(({ name, stat: { ino, size, mtimeMs, ctimeMs, mode } }) =>
      [name, ino, size, mtimeMs, ctimeMs, mode].join(" "),
    )
    .toSorted()
    .join("\n");
}

async function markOf(file: string): Promise<string> {
  const found = await stat(file, { bigint: true }).catch(() => undefined);
  return found === undefined
    ? "none"
    : `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`;
}
