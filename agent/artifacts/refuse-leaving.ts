import path from "node:path";
import { configurationLines } from "./find-use.ts";
import { PackFault } from "./pack-fault.ts";
import type { PackRequest } from "./pack-request.ts";
import { isWithin, type PlacedModules } from "./place-modules.ts";

type Modules = NonNullable<PackRequest["modules"]>;

/**
 * Throws PackFault with file and line where a configuration names a file that will not be in its artifact: of what leaves
 * the directory only modules are brought in.
 */
export function refuseLeaving(
  { directory, installed, records }: Modules,
  { brought }: PlacedModules,
): void {
  const folders = records
    .map(({ Dir }) => path.resolve(directory, Dir))
    .filter((place) => !isWithin(installed, place));
  for (const folder of new Set([directory, ...folders])) {
    const roots = isWithin(directory, folder) ? [directory] : brought;
    for (const { file, line, text } of configurationLines(folder)) {
      const leaving = pathsIn(text, { folder, directory }).find(
        ({ place }) => !roots.some((root) => isWithin(root, place)),
      );
      if (leaving === undefined) continue;
      const at = `${path.relative(directory, path.join(folder, file))}:${line}`;
      const words = `${at}: ${leaving.named} is outside of the directory that is built, and no module: move it into the directory`;
      throw new PackFault("outside", words, at);
    }
  }
}

/** A text that is a path, with what it is relative to. */
const paths = /"(\$\{path\.(?:module|root|cwd)\}\/)?([^"$]*)/g;

type Where = { readonly folder: string; readonly directory: string };
type NamedPath = { readonly named: string; readonly place: string };

/** The paths in a line that go up; what modules have as their source is looked at elsewhere. */
function pathsIn(text: string, { folder, directory }: Where): NamedPath[] {
  if (!text.includes("..") || /^\s*source\s*=/.test(text)) return [];
  return [...text.matchAll(paths)].flatMap(([, base = "", named = ""]) => {
    const isPath = base !== "" || /^\.{1,2}\//.test(named);
    if (!isPath || !named.split("/").includes("..")) return [];
    const from = base.startsWith("${path.module}") ? folder : directory;
    return [{ named, place: path.resolve(from, named) }];
  });
}
