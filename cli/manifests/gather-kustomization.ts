import { readFile, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { packParts } from "../plans/pack-folder.ts";
import { commonFolder } from "./common-folder.ts";
import type { KustomizationNames } from "./named-by-kustomization.ts";

type GatheredKustomization = {
  readonly source: { readonly archive: string };
  /** The kustomization's folder within the archive. */
  readonly path: string;
};

type Rules = {
  /** Whether files are loaded from outside of the folder of the kustomization that names them. */
  readonly loadsAnywhere: boolean;
};

const kustomizationNames = ["kustomization.yaml", "kustomization.yml", "Kustomization"];
const leftOut = /^(?:\.git|\.svc)$/;

/**
 * A kustomization's folder, and of what is outside of it only the files that it and its bases name, packed. A UsageError
 * for a folder that is none, and for what kustomize would not load either.
 */
export async function gatherKustomization(
  given: string,
  { loadsAnywhere }: Rules,
): Promise<GatheredKustomization> {
  const folder = await realpath(given).catch(() => path.resolve(given));
  if ((await findKustomization(folder)) === undefined) {
    throw new UsageError(`${given} is no kustomization: there is no kustomization.yaml in it.`);
  }
  const parts = new Set([folder]);
  const gathering: Gathering = { top: folder, loadsAnywhere, parts, followed: new Set() };
  await follow(gathering, [folder]);
  const outer = [...parts].filter((one) => ![...parts].some((other) => isWithin(one, other)));
  const root = commonFolder(outer.map((one) => path.dirname(one)));
  const within = outer.map((one) => path.relative(root, one)).toSorted();
  const archive = await packParts(root, within, { leftOut });
  return { source: { archive }, path: path.relative(root, folder).split(path.sep).join("/") };
}

const isWithin = (inner: string, outer: string): boolean =>
  inner.startsWith(outer.endsWith(path.sep) ? outer : outer + path.sep);

type Gathering = Rules & {
  readonly top: string;
  /** Files and folders that are sent. */
  readonly parts: Set<string>;
  /** The folders whose kustomizations have been read: many may name one base. */
  readonly followed: Set<string>;
};
/** The folders of a kustomization and of those that have led to it, its own first. */
type Chain = readonly [string, ...string[]];

async function follow(gathering: Gathering, chain: Chain): Promise<void> {
  const [folder] = chain;
  const file = await findKustomization(folder);
  if (file === undefined || gathering.followed.has(folder)) return;
  gathering.followed.add(folder);
  await addFile(gathering, folder, path.basename(file));
  const named = await readNames(file);
  for (const name of named.files) await addFile(gathering, folder, name);
  for (const name of [...named.resources, ...named.plugins]) {
    const base = await findBase(chain, name);
    if (base === undefined) await addFile(gathering, folder, name);
    else await followBase(gathering, chain, base);
  }
  for (const name of named.plugins) await addNamedByPlugin(gathering, folder, name);
  if (named.chartHome !== undefined) await addCharts(gathering, folder, named.chartHome);
}

type Base = { readonly place: string; readonly real: string };

/** The base of this name; undefined where it is none. A UsageError for one that kustomize calls a cycle. */
async function findBase(chain: Chain, name: string): Promise<Base | undefined> {
  const [folder] = chain;
  const place = path.resolve(folder, name);
  if (path.isAbsolute(name) || place === folder) return undefined;
  const found = await stat(place).catch(() => undefined);
  if (found?.isDirectory() !== true || (await findKustomization(place)) === undefined) {
    return undefined;
  }
  const real = await realpath(place);
  const inner = chain.find((one) => one === real || isWithin(one, real));
  if (inner === undefined) return { place, real };
  throw new UsageError(
    `The kustomization in ${folder} names ${name} as a base, which holds ${inner} itself: kustomize builds no such cycle, and it is not sent.`,
  );
}

async function followBase(
  gathering: Gathering,
  chain: Chain,
  { place, real }: Base,
): Promise<void> {
  // Within the folder that is sent whole the link is sent, too.
  if (real !== place && !isWithin(place, gathering.top)) {
    throw new UsageError(
      `The kustomization in ${chain[0]} names its base through a symbolic link, ${place}: name ${real}.`,
    );
  }
  await follow(gathering, [real, ...chain]);
}

async function addFile(gathering: Gathering, folder: string, name: string): Promise<void> {
  const place = path.resolve(folder, name);
  if (path.isAbsolute(name)) return;
  const found = await stat(place).catch(() => undefined);
  if (found?.isFile() !== true) return;
  const real = await realpath(place);
  if (!gathering.loadsAnywhere && !isWithin(real, folder)) throw outside(folder, name, real);
  // A link within the folder that is sent whole stays a link: what it leads to goes beside it.
  gathering.parts.add(isWithin(place, gathering.top) ? real : place);
}

function outside(folder: string, name: string, real: string): UsageError {
  return new UsageError(
    `The kustomization in ${folder} names the file ${name}, which is outside of that folder (${real}): kustomize does not load it, and it is not sent.`,
    "Where you trust the kustomization with it: --load-restrictor LoadRestrictionsNone",
  );
}

async function addNamedByPlugin(gathering: Gathering, folder: string, name: string): Promise<void> {
  const place = path.resolve(folder, name);
  const text = await readFile(place, "utf8").catch(() => undefined);
  if (text === undefined || path.isAbsolute(name)) return;
  const { namedByPlugin } = await import("./named-by-kustomization.ts");
  for (const one of namedByPlugin(text)) await addFile(gathering, folder, one);
}

/** Charts are sent of the kustomization's own folder only, as whole folders. */
async function addCharts({ parts }: Gathering, folder: string, name: string): Promise<void> {
  const place = path.resolve(folder, name);
  const real = await realpath(place).catch(() => undefined);
  if (real !== place || !isWithin(real, folder) || path.isAbsolute(name)) return;
  if ((await stat(place)).isDirectory()) parts.add(place);
}

async function findKustomization(folder: string): Promise<string | undefined> {
  for (const name of kustomizationNames) {
    const file = path.join(folder, name);
    const found = await stat(file).catch(() => undefined);
    if (found?.isFile() === true) return file;
  }
  return undefined;
}

async function readNames(file: string): Promise<KustomizationNames> {
  // Loaded by who needs it: YAML is slow.
  const { namedByKustomization } = await import("./named-by-kustomization.ts");
  return namedByKustomization(await readFile(file, "utf8"));
}
