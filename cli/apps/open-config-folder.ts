import type { Dirent } from "node:fs";
import { open as openFile, readdir, realpath, stat } from "node:fs/promises";
import path from "node:path";
import type { ConfigFolder } from "../../shared/app-config/config-folder.ts";
import { decodeText } from "../../shared/app-config/decode-text.ts";
import type { FileFault } from "../../shared/app-config/file-fault.ts";
import { isConfigName } from "../../shared/app-config/is-config-name.ts";
import { kindOfFile } from "../../shared/app-config/kind-of-file.ts";
import { textLimits } from "../../shared/app-config/members/kinds.ts";
import { nameFrom } from "../../shared/app-config/name-from.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { readSources } from "./read-sources.ts";

/** A directory here as a config's; a UsageError where there is none. What it names is read when it is asked for. */
export async function openConfigFolder(folder: string): Promise<ConfigFolder> {
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory() !== true) throw new UsageError(`There is no folder ${folder} here.`);
  const root = await realpath(folder);
  const repository = await repositoryOf(root);
  const roots = { root, repository };
  return {
    ...(await list(roots)),
    read: async (name) => await readWithin(roots, name),
    readSources: async (directory) => await readSources(root, directory),
  };
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

type Roots = { readonly root: string; readonly repository: string };
type Listing = Required<Pick<ConfigFolder, "names" | "refused">>;
type Folder = { readonly name: string; readonly real: string };
type Walk = {
  readonly roots: Roots;
  readonly names: string[];
  readonly refused: Map<string, FileFault>;
  readonly open: Folder[];
  readonly links: Folder[];
};

/**
 * TOML files of the root and of the folders in it; what is hidden or belongs to other programs is left out. A folder is
 * read once: where it stands, before where links lead to it, so that links in a circle have an end.
 */
async function list(roots: Roots): Promise<Listing> {
  const open = [{ name: "", real: roots.root }];
  const walk: Walk = { roots, names: [], refused: new Map(), open, links: [] };
  const seen = new Set<string>();
  for (let at = open.pop(); at !== undefined; at = open.pop() ?? walk.links.shift()) {
    if (seen.has(at.real)) continue;
    seen.add(at.real);
    for (const entry of await entriesOf(at.real)) await take(walk, at, entry);
  }
  return { names: walk.names.filter(isConfigName).sort(), refused: walk.refused };
}

async function take(walk: Walk, { name: above, real }: Folder, entry: Dirent): Promise<void> {
  const name = `${above}${entry.name}`;
  const place = path.join(real, entry.name);
  const linked = entry.isSymbolicLink() ? await linkedFolder(place) : undefined;
  const isFolder = entry.isDirectory() || linked !== undefined;
  if (!isFolder) walk.names.push(name);
  if (!isFolder || !isConfigName(`${name}/x.toml`)) return;
  if (linked === undefined) {
    walk.open.push({ name: `${name}/`, real: place });
    return;
  }
  const why = whyRefused(walk.roots, linked);
  if (why === undefined) walk.links.push({ name: `${name}/`, real: linked });
  else if (kindOfFile(`${name}/x.toml`) !== undefined) walk.refused.set(name, why);
}

const entriesOf = async (folder: string): Promise<Dirent[]> =>
  (await readdir(folder, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1));

/** The folder that a link leads to, if it is one. */
async function linkedFolder(link: string): Promise<string | undefined> {
  const found = await stat(link).catch(() => undefined);
  return found?.isDirectory() === true ? await realpath(link) : undefined;
}

/** Why what is at a place may not be read. */
function whyRefused({ repository }: Roots, real: string): FileFault | undefined {
  const place = path.relative(repository, real).split(path.sep);
  if (place[0] === ".." || path.isAbsolute(place.join(path.sep)))
    return { code: "outside_root", detail: "is a link out of the config's repository" };
  return place.includes(".git") ? { code: "outside_root", detail: "is in .git" } : undefined;
}

async function readWithin(roots: Roots, name: string): Promise<string | FileFault> {
  const absent: FileFault = { code: "missing_file", detail: "is not there", isAbsent: true };
  const file = await realpath(path.join(roots.root, name)).catch(() => undefined);
  if (file === undefined) return absent;
  const why = whyRefused(roots, file);
  if (why !== undefined) return why;
  if (!(await stat(file)).isFile()) return { ...absent, detail: "is no file" };
  const handle = await openFile(file).catch(() => undefined);
  if (handle === undefined) return { code: "missing_file", detail: "cannot be read" };
  try {
    const length = Math.min((await handle.stat()).size, textLimits.long) + 1;
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), { length, position: 0 });
    return decodeText(buffer.subarray(0, bytesRead));
  } finally {
    await handle.close();
  }
}
