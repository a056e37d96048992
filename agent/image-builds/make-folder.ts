import { closeSync, fchmodSync, fchownSync, fstatSync, mkdirSync } from "node:fs";
import { basename, dirname } from "node:path";
import { openFolder, openWithin, placeOfOpened } from "./open-folder.ts";

type FolderFor = { readonly mode: number; readonly owner: number | undefined };

/** Makes a folder in the build's, which is the job's: nothing that somebody puts in its place is taken for it. The caller closes it. */
export function makeFolder(folder: string, name: string, { mode, owner }: FolderFor): number {
  const above = openFolder(dirname(folder), basename(folder));
  try {
    mkdirSync(`${placeOfOpened(above)}/${name}`);
    const made = openWithin(above, name);
    try {
      if (fstatSync(made).uid !== process.getuid?.())
        throw new Error("the folder of the build was replaced");
      fchmodSync(made, mode);
      if (owner !== undefined) fchownSync(made, owner, owner);
      return made;
    } catch (error) {
      closeSync(made);
      throw error;
    }
  } finally {
    closeSync(above);
  }
}
