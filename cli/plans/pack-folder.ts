import type { Dirent } from "node:fs";
import { readdir, readFile, readlink, stat } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { tarEnd, tarEntry } from "./tar-entry.ts";

const compress = promisify(gzip);

const mostFiles = 5_000;
const mostBytes = 64 * 2 ** 20;
/** In base64 beside what was planned, it has to go into one job's plan: 16 MiB. */
const mostPackedBytes = 8 * 2 ** 20;

/** What of a folder is sent. */
export type FolderRules = {
  /** Names of files and folders that stay here, wherever they are. */
  readonly leftOut: RegExp;
  /** A file that has to be there, by its name within the folder. */
  readonly holds?: RegExp;
  /** What is said of a folder without one: "holds no chart". */
  readonly otherwise?: string;
  /** What may help where it is too large. */
  readonly hint?: string;
};

/** A folder as a plan's archive: base64 of a tar with gzip. A UsageError for one that is none, empty or too large. */
export async function packFolder(folder: string, rules: FolderRules): Promise<string> {
  const root = path.resolve(folder);
  const found = await stat(root).catch(() => undefined);
  if (found?.isDirectory() !== true) throw new UsageError(`There is no folder ${folder} here.`);
  const packing: Packing = { root, folder, rules, entries: [], bytes: 0 };
  await pack(packing, "");
  const { holds, otherwise = "is empty" } = rules;
  if (holds !== undefined && !packing.entries.some(({ name }) => holds.test(name))) {
    throw new UsageError(`${folder} ${otherwise}.`);
  }
  return await packed(packing);
}

/** Files and whole folders within a folder as a plan's archive, by their names in it. A UsageError for what cannot be sent. */
export async function packParts(
  folder: string,
  parts: readonly string[],
  rules: FolderRules,
): Promise<string> {
  const packing: Packing = { root: path.resolve(folder), folder, rules, entries: [], bytes: 0 };
  for (const part of parts) {
    const found = await stat(path.join(packing.root, part));
    if (found.isDirectory()) await pack(packing, part);
    else await addFile(packing, part);
  }
  return await packed(packing);
}

type Packing = {
  readonly root: string;
  /** As the reader named it. */
  readonly folder: string;
  readonly rules: FolderRules;
  readonly entries: { readonly name: string; readonly blocks: Buffer }[];
  bytes: number;
};

async function packed(packing: Packing): Promise<string> {
  const { entries } = packing;
  const bytes = await compress(Buffer.concat([...entries.map(({ blocks }) => blocks), tarEnd]));
  if (bytes.length > mostPackedBytes) throw tooLarge(packing);
  return bytes.toString("base64");
}

async function pack(packing: Packing, within: string): Promise<void> {
  const all = await readdir(path.join(packing.root, within), { withFileTypes: true });
  for (const one of all.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const name = path.posix.join(within, one.name);
    if (packing.rules.leftOut.test(one.name)) continue;
    if (one.isDirectory()) await pack(packing, name);
    else await add(packing, name, one);
  }
}

async function add(packing: Packing, name: string, one: Dirent): Promise<void> {
  if (one.isSymbolicLink()) {
    const link = await readlink(path.join(packing.root, name));
    requireWithin(packing, name, link);
    const blocks = tarEntry({ name, bytes: Buffer.alloc(0), isExecutable: false, link });
    packing.entries.push({ name, blocks });
  } else if (one.isFile()) await addFile(packing, name);
  // a socket or a pipe is nobody's configuration
}

async function addFile(packing: Packing, name: string): Promise<void> {
  const file = path.join(packing.root, name);
  const { mode, size } = await stat(file);
  packing.bytes += size;
  if (packing.bytes > mostBytes || packing.entries.length >= mostFiles) throw tooLarge(packing);
  const isExecutable = (mode & 0o111) !== 0;
  const blocks = tarEntry({ name, bytes: await readFile(file), isExecutable });
  packing.entries.push({ name, blocks });
}

function requireWithin({ root, folder }: Packing, name: string, link: string): void {
  const target = path.resolve(root, path.dirname(name), link);
  const isWithin = target === root || target.startsWith(root + path.sep);
  if (isWithin && !path.isAbsolute(link)) return;
  throw new UsageError(
    `${path.join(folder, name)} is a link out of ${folder}: only what is in the folder is sent.`,
  );
}

function tooLarge({ folder, rules }: Packing): UsageError {
  return new UsageError(
    `${folder} is too large to be sent: ${mostFiles} files, 64 MiB, and 8 MiB when packed are the most.`,
    rules.hint,
  );
}
