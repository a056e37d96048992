import { open, readdir, realpath, stat } from "node:fs/promises";
import path from "node:path";
import type { ConfigFolder, FileFault } from "../../shared/app-config/config-entries.ts";
import { decodeText } from "../../shared/app-config/decode-text.ts";
import { isConfigName } from "../../shared/app-config/is-config-name.ts";
import { textLimits } from "../../shared/app-config/members/kinds.ts";
import { nameFrom } from "../../shared/app-config/name-from.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";

/** A directory here as a config's; a UsageError where there is none. What it names is read when it is asked for. */
export async function openConfigFolder(folder: string): Promise<ConfigFolder> {
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory() !== true) throw new UsageError(`There is no folder ${folder} here.`);
  const root = await realpath(folder);
  const repository = await repositoryOf(root);
  const read = async (name: string) => await readWithin({ root, repository }, name);
  return { names: await namesIn(root), read };
}

/** The name of a directory's app, where the config says none. */
export const appNameOf = async (folder: string): Promise<string> =>
  nameFrom(path.basename(await realpath(folder).catch(() => path.resolve(folder))), "my-app");

/** The root of the repository that a directory is in; itself, where it is in none. */
async function repositoryOf(root: string): Promise<string> {
  for (let at = root; ; at = path.dirname(at)) {
    if ((await stat(path.join(at, ".git")).catch(() => undefined)) !== undefined) return at;
    if (at === path.dirname(at)) return root;
  }
}

/** TOML files of the root and of the folders in it; what is hidden or belongs to other programs is left out. */
async function namesIn(root: string): Promise<string[]> {
  const names: string[] = [];
  const open = [""];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const entry of await readdir(path.join(root, folder), { withFileTypes: true })) {
      const name = `${folder}${entry.name}`;
      if (!entry.isDirectory()) names.push(name);
      else if (isConfigName(`${name}/x.toml`)) open.push(`${name}/`);
    }
  }
  return names.filter(isConfigName).sort();
}

type Roots = { readonly root: string; readonly repository: string };

async function readWithin({ root, repository }: Roots, name: string): Promise<string | FileFault> {
  const absent: FileFault = { code: "missing_file", detail: "is not there", isAbsent: true };
  const file = await realpath(path.join(root, name)).catch(() => undefined);
  if (file === undefined) return absent;
  const place = path.relative(repository, file).split(path.sep);
  if (place[0] === ".." || path.isAbsolute(place.join(path.sep)))
    return { code: "outside_root", detail: "is a link out of the config's repository" };
  if (place.includes(".git")) return { code: "outside_root", detail: "is in .git" };
  if (!(await stat(file)).isFile()) return { ...absent, detail: "is no file" };
  const handle = await open(file).catch(() => undefined);
  if (handle === undefined) return { code: "missing_file", detail: "cannot be read" };
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(textLimits.long + 1), {
      length: textLimits.long + 1,
      position: 0,
    });
    return decodeText(buffer.subarray(0, bytesRead));
  } finally {
    await handle.close();
  }
}
