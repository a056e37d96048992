import type { Stats } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { packParts } from "../plans/pack-folder.ts";
import { commonFolder } from "./common-folder.ts";

/** Files of this machine, as a plan has them: packed, and named in their order. */
type GatheredFiles = {
  readonly source: { readonly archive: string };
  readonly files: readonly string[];
};

const isManifest = (name: string): boolean => /\.(?:ya?ml|json)$/.test(name);

/** The manifests at these paths, the files of a folder in the order of their names. A UsageError where there are none. */
export async function gatherFiles(
  paths: readonly string[],
  { isRecursive }: { readonly isRecursive: boolean },
): Promise<GatheredFiles> {
  const all: string[] = [];
  for (const one of paths) all.push(...(await filesAt(one, isRecursive)));
  const files = [...new Set(all)];
  if (files.length === 0) {
    throw new UsageError(`${paths.join(" and ")}: every manifest there is empty.`);
  }
  const here = process.cwd();
  const isHere = files.every((file) => file.startsWith(here + path.sep));
  const root = isHere ? here : commonFolder(files.map((file) => path.dirname(file)));
  const names = files.map((file) => path.relative(root, file));
  const archive = await packParts(root, names, { leftOut: /^$/ });
  return { source: { archive }, files: names.map((name) => name.split(path.sep).join("/")) };
}

async function filesAt(given: string, isRecursive: boolean): Promise<string[]> {
  const place = path.resolve(given);
  const found = await stat(place).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") throw new UsageError(`There is no file or folder ${given} here.`);
    throw new UsageError(`${given} cannot be read (${error.code ?? "unknown"}).`);
  });
  if (!found.isDirectory()) return withContents(place, found);
  const names = (await readdir(place, { recursive: isRecursive })).toSorted();
  if (names.some((name) => /^kustomization\.ya?ml$|^Kustomization$/.test(name))) {
    throw new UsageError(`${given} is a kustomization: name it with -k.`);
  }
  const manifests = names.filter(isManifest);
  if (manifests.length === 0) {
    throw new UsageError(
      `${given} holds no .yaml, .yml or .json file.`,
      isRecursive ? "" : "Those of folders in it are taken with -R.",
    );
  }
  const files = manifests.map(async (name) => {
    const file = path.join(place, name);
    return withContents(file, await stat(file));
  });
  return (await Promise.all(files)).flat();
}

/** An empty file is a manifest of nothing; of a pipe nobody knows before it is read. */
const withContents = (file: string, found: Stats): string[] =>
  found.isFile() && found.size === 0 ? [] : [file];
