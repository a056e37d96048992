import type { FileFault } from "./file-fault.ts";

/** Folders in which texts of a section may be, besides that of their own file. */
const kindFolders: Readonly<Record<string, string>> = {
  components: "components",
  actions: "actions",
  permissions: "permissions",
  break_glass: "permissions",
  policies: "policies",
  runbooks: "runbooks",
  installs: "installs",
};

/** Where a text that a file names may be, first to last: in the file's own folder, in that of its kind, in the root. None outside. */
export function placesOfText(given: string, file: string, section: string): readonly string[] {
  const own = file.slice(0, Math.max(0, file.lastIndexOf("/")));
  const names = [own, kindFolders[section] ?? "", ""].map((base) => nameWithin(`${base}/${given}`));
  return [...new Set(names.filter((name) => name !== undefined))];
}

export const outsideRoot: FileFault = {
  code: "outside_root",
  detail: "is outside the config's directory",
};

/** A path within the config's directory, from its root; undefined for one that leads out. */
function nameWithin(given: string): string | undefined {
  const parts: string[] = [];
  for (const part of given.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.length === 0 || parts.includes(".git") ? undefined : parts.join("/");
}
