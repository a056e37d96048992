import { lstat, readdir, readFile, realpath } from "node:fs/promises";
import path from "node:path";

const mostPlaces = 1000;
const mostTextBytes = 64 * 2 ** 20;

/** Files that tell a tool what to bring in from beside a directory. */
const telling =
  /^(?:kustomization\.ya?ml|Kustomization|Chart\.yaml|requirements\.yaml|Pulumi\.yaml|package(?:-lock)?\.json|npm-shrinkwrap\.json|.*\.(?:tf|tofu)(?:\.json)?)$/;
const passedOver: ReadonlySet<string> = new Set([".git", ".terraform", "node_modules"]);

/**
 * The places of a repository that a build of one directory can need: the directory, and what is named in it beside it (`../lib`),
 * as modules, bases, dependencies and packages are, and what is named there. Both are given without links, and so are the places.
 */
export async function listNeeded(root: string, built: string): Promise<readonly string[]> {
  const needed = [built];
  for (let at = 0; at < needed.length && at < mostPlaces; at += 1) {
    for await (const file of tellingFiles(needed[at] ?? root)) {
      const places = await placesNamedIn(file);
      needed.push(...places.filter((one) => isWithin(root, one) && !isNeeded(needed, one)));
    }
  }
  return needed.length < mostPlaces ? needed : [root];
}

/** Whether a place is a folder or file of these, or below it. */
export const isNeeded = (needed: readonly string[], place: string): boolean =>
  needed.some((one) => isWithin(one, place));

const isWithin = (folder: string, place: string): boolean =>
  place === folder || place.startsWith(`${folder}${path.sep}`);

async function* tellingFiles(place: string): AsyncGenerator<string> {
  const waiting = [place];
  for (let here = waiting.pop(); here !== undefined; here = waiting.pop()) {
    const entries = await readdir(here, { withFileTypes: true }).catch(() => []); // of a file
    for (const entry of entries) {
      const at = path.join(here, entry.name);
      if (entry.isDirectory() && !passedOver.has(entry.name)) waiting.push(at);
      if (entry.isFile() && telling.test(entry.name)) yield at;
    }
  }
}

/** Whatever looks like a path out of the file's folder: one too many costs a download. */
async function placesNamedIn(file: string): Promise<string[]> {
  const { size } = await lstat(file);
  const text = size > mostTextBytes ? "" : await readFile(file, "utf8");
  const words = new Set(text.split(/[\s"'`,;()[\]{}<>|]+/).filter((one) => one.includes("../")));
  const places: string[] = [];
  for (const word of words) {
    const named = word.replace(/^file:(?:\/\/)?/, "").replace(/^\/(?=\.\.)/, "");
    if (named.includes("://")) continue;
    const place = await realpath(path.resolve(path.dirname(file), named)).catch(() => undefined);
    if (place !== undefined) places.push(place);
  }
  return places;
}
