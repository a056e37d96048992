import { readdir, readFile, rm, stat } from "node:fs/promises";
import path from "node:path";
import { isMissing } from "./durable-files.ts";
import type { Places } from "./places.ts";
import { readManifest } from "./read-manifest.ts";
import type { RepositoryTurns } from "./repository-turns.ts";

/** How garbage is told and taken. */
export type GarbageRules = {
  /** Where a blob came, or was asked for by whoever pushes, less than this ago, all blobs may be about to get their manifest. */
  readonly youngMs: number;
  /** Of one repository at once: whoever brings something there waits for so many. */
  readonly most: number;
};

type Parts = { readonly places: Places; readonly turns: RepositoryTurns };
type Now = { readonly nowMs: number; readonly signal: AbortSignal };

/**
 * Removes blobs that no manifest of their repository names, one repository after the other; answers how many. It reads without stopping anybody, and
 * then, alone at the repository, removes what still is as it was read. Where somebody brings something just then it leaves all to the next time.
 */
export async function collectGarbage(parts: Parts, rules: GarbageRules, now: Now): Promise<number> {
  let removed = 0;
  for await (const repository of repositoriesIn(parts.places.repositories)) {
    if (now.signal.aborted) break;
    removed += await collectIn(parts, repository, { rules, now });
  }
  return removed;
}

/** Folders that have blobs, by their names. */
async function* repositoriesIn(root: string, name = ""): AsyncGenerator<string> {
  for (const entry of await foldersIn(path.join(root, name))) {
    if (entry === "_blobs" && name !== "") yield name;
    else if (!entry.startsWith("_"))
      yield* repositoriesIn(root, name === "" ? entry : `${name}/${entry}`);
  }
}

type How = { readonly rules: GarbageRules; readonly now: Now };

async function collectIn(
  { places, turns }: Parts,
  repository: string,
  { rules: { youngMs, most }, now: { nowMs, signal } }: How,
): Promise<number> {
  const blobs = path.join(places.repository(repository), "_blobs");
  const isUploading = async (): Promise<boolean> =>
    (await namesIn(places.uploads)).some((name) => places.isUploadOf(repository, name));
  const isYoung = async (file: string): Promise<boolean> =>
    await stat(file).then(
      ({ ctimeMs }) => nowMs - ctimeMs <= youngMs,
      () => false, // it is gone
    );
  const changes = turns.changesOf(repository);
  const unnamed = new Set<string>();
  let removed = 0;
  // The manifest comes last: who still pushes may have begun long ago.
  if (await isUploading()) return removed;
  for (const algorithm of await foldersIn(blobs))
    for (const hex of await namesIn(path.join(blobs, algorithm))) {
      if (await isYoung(path.join(blobs, algorithm, hex))) return removed;
      unnamed.add(path.join(algorithm, hex));
    }
  if (unnamed.size === 0) return removed;
  if (!(await takeNamed(places, repository, { unnamed, signal }))) return removed;
  await turns.take(repository, async () => {
    if (turns.changesOf(repository) !== changes) return; // a manifest that has come may name them
    if (await isUploading()) return;
    for (const name of [...unnamed].slice(0, most)) {
      const file = path.join(blobs, name);
      await rm(file, { force: true });
      removed += 1;
    }
  });
  return removed;
}

type Reading = { readonly unnamed: Set<string>; readonly signal: AbortSignal };

/** Takes what manifests name out of the set; whether it has read all of them. */
async function takeNamed(
  places: Places,
  repository: string,
  { unnamed, signal }: Reading,
): Promise<boolean> {
  for await (const file of manifestsOf(places, repository)) {
    if (signal.aborted) return false;
    const whole = await readFile(file).catch((error: unknown) => {
      if (isMissing(error)) return undefined; // deleted meanwhile
      throw error;
    });
    if (whole === undefined) continue;
    const end = whole.indexOf(0x0a);
    const read = readManifest(whole.subarray(end + 1), whole.subarray(0, end).toString());
    for (const { algorithm, hex } of read.blobs) unnamed.delete(path.join(algorithm, hex));
  }
  return true;
}

async function* manifestsOf(places: Places, repository: string): AsyncGenerator<string> {
  const folder = path.join(places.repository(repository), "_manifests");
  for (const algorithm of await foldersIn(folder))
    for (const hex of await namesIn(path.join(folder, algorithm)))
      yield path.join(folder, algorithm, hex);
}

async function foldersIn(folder: string): Promise<string[]> {
  return (await entriesOf(folder)).filter((one) => one.isDirectory()).map(({ name }) => name);
}

async function namesIn(folder: string): Promise<string[]> {
  return (await entriesOf(folder)).map(({ name }) => name);
}

async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
