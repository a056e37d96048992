import { realpathSync } from "node:fs";
import path from "node:path";
import { findUse } from "./find-use.ts";
import { PackFault } from "./pack-fault.ts";
import type { ModuleRecord, PackPart, PackRequest } from "./pack-request.ts";

type Modules = NonNullable<PackRequest["modules"]>;

/** Where terraform keeps the modules that it has installed, and its list of them. */
export const modulesFolder = ".terraform/modules";
/** No module's own folder there begins with a dot. */
const broughtFolder = `${modulesFolder}/.source`;

/** What modules add to an artifact. */
export type PlacedModules = {
  readonly parts: readonly PackPart[];
  readonly texts: PackRequest["texts"];
  /** The folders of the source that are brought in. */
  readonly brought: readonly string[];
};

/**
 * Places the modules of a configuration in its artifact: installed ones as they are, those beside the directory where
 * they keep their places to one another, and terraform's list of all of them. Throws PackFault with file and line for one
 * outside of the source.
 */
export function placeModules({ root, directory, installed, records }: Modules): PlacedModules {
  const whole = realpathSync(root);
  const here = realpathSync(directory);
  const brought = new Map<string, string>();
  const placed = records.map((record): ModuleRecord => {
    const place = path.resolve(here, record.Dir);
    if (isWithin(installed, place)) {
      return { ...record, Dir: path.posix.join(modulesFolder, path.relative(installed, place)) };
    }
    if (isWithin(here, place)) return { ...record, Dir: path.relative(here, place) || "." };
    if (!isWithin(whole, place)) throw outside(record, { here, records });
    const to = path.posix.join(broughtFolder, path.relative(whole, place));
    brought.set(place, to);
    return { ...record, Dir: to };
  });
  const isAny = records.some(({ Key }) => Key !== "");
  const list = placed.toSorted((a, b) => (a.Key < b.Key ? -1 : 1));
  const text = JSON.stringify({ Modules: list });
  return {
    parts: [...brought].map(([from, to]) => ({ ...source, from, to })),
    texts: isAny ? [{ name: `${modulesFolder}/modules.json`, text }] : [],
    brought: [...brought.keys()],
  };
}

const source = { isSource: true, leaveOut: [], followsLinks: false };

/** Whether a place is a folder or below it. */
export function isWithin(folder: string, place: string): boolean {
  return place === folder || place.startsWith(folder === "/" ? folder : `${folder}${path.sep}`);
}

type Where = { readonly here: string; readonly records: readonly ModuleRecord[] };

function outside({ Key, Source }: ModuleRecord, { here, records }: Where): PackFault {
  const parent = records.find((one) => one.Key === Key.split(".").slice(0, -1).join("."));
  const use = findUse(path.resolve(here, parent?.Dir ?? "."), Source);
  const file = use === undefined ? undefined : path.relative(here, use);
  return new PackFault(
    "outside",
    `${file ?? "the configuration"}: the module ${Key} has the source ${Source}, which is outside of the source of the build`,
    file,
  );
}
