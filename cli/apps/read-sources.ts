import type { Stats } from "node:fs";
import { lstat, readdir, readFile, readlink, realpath } from "node:fs/promises";
import path from "node:path";
import { configLimits } from "../../shared/app-config/config-fault.ts";
import type { FileFault } from "../../shared/app-config/file-fault.ts";
import { isLeftOut } from "../../shared/app-config/is-left-out.ts";
import type { FolderEntry } from "../../shared/tar/pack-entries.ts";

const { files: mostFiles, sourceBytes } = configLimits;

/** The files and links of a folder of a config's directory, but for what a build has no use for; why not, where they cannot be read. */
export async function readSources(
  root: string,
  directory: string,
): Promise<readonly FolderEntry[] | FileFault> {
  const found = await listSources(root, directory);
  if ("code" in found) return found;
  return await Promise.all(
    found.map(async ({ name, place, stat }): Promise<FolderEntry> => {
      const isLink = stat.isSymbolicLink();
      return {
        name,
        kind: isLink ? "link" : "file",
        isExecutable: !isLink && (stat.mode & 0o111) !== 0,
        target: isLink ? await readlink(place) : "",
        bytes: isLink ? new Uint8Array() : await readFile(place),
      };
    }),
  );
}

type Listed = { readonly name: string; readonly place: string; readonly stat: Stats };

/** The same, without their contents. Nothing is read past the bounds of such a folder. */
export async function listSources(
  root: string,
  directory: string,
): Promise<readonly Listed[] | FileFault> {
  const base = await realpath(path.join(root, directory)).catch(() => undefined);
  if (base === undefined) return { code: "missing_file", detail: "is not there" };
  if (base !== root && !base.startsWith(root + path.sep))
    return { code: "outside_root", detail: "is a link out of the config's directory" };
  if (!(await lstat(base)).isDirectory()) return { code: "missing_file", detail: "is no folder" };
  const listed: Listed[] = [];
  const open = [""];
  let bytes = 0;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const one of await readdir(path.join(base, at))) {
      const name = path.posix.join(at, one);
      const place = path.join(base, name);
      if (isLeftOut(one)) continue;
      const stat = await lstat(place);
      if (stat.isDirectory()) open.push(name);
      else if (stat.isFile() || stat.isSymbolicLink()) listed.push({ name, place, stat });
      bytes += stat.isFile() ? stat.size : 0;
      if (bytes > sourceBytes || listed.length > mostFiles) return tooLarge;
    }
  }
  return listed;
}

const tooLarge: FileFault = {
  code: "config_too_costly",
  detail: `has more than ${sourceBytes / 2 ** 20} MiB or ${mostFiles} files: put it into a repository, and name that`,
};
