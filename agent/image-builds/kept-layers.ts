import { lstat, mkdir, readdir, readFile, rm, utimes } from "node:fs/promises";
import path from "node:path";
import { linkOrCopy } from "./link-or-copy.ts";

/** Where layers of former builds are, and whose. */
export type LayerCache = {
  /** Of all builds of the agent; only the agent's user comes there. */
  readonly folder: string;
  /** Which component's, as the broker says it: nobody else knows it. */
  readonly key: string;
  /** Of all components together. */
  readonly mostBytes: number;
};

/** Names the steps in an OCI layout of them, a line each. */
export const namesFile = "names";

/** What is kept of a component, the newest last. */
export async function listKept(own: string): Promise<string[]> {
  const names = (await foldersIn(own)).filter((name) => /^\d+-\d+$/.test(name));
  return names
    .toSorted((one, other) => Number.parseInt(one, 10) - Number.parseInt(other, 10))
    .map((name) => path.join(own, name));
}

/**
 * Puts what is kept of a component into a folder that is there and the agent's, as files that the build can read and not
 * change. Answers how many steps there are; another build may replace or drop them meanwhile, which is none of its concern.
 */
export async function offerLayers({ folder, key }: LayerCache, into: string): Promise<number> {
  const own = path.join(folder, key);
  const kept = (await listKept(own)).at(-1);
  if (kept === undefined) return 0;
  try {
    const blobs = path.join("blobs", "sha256");
    await mkdir(path.join(into, blobs), { recursive: true, mode: 0o755 });
    for (const name of await readdir(path.join(kept, blobs))) await take(path.join(blobs, name));
    for (const name of ["oci-layout", "index.json", namesFile]) await take(name);
    await utimes(own, new Date(), new Date());
    return (await readFile(path.join(into, namesFile), "utf8")).split("\n").length - 1;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    await rm(path.join(into, namesFile), { force: true });
    return 0; // it was replaced
  }

  async function take(name: string): Promise<void> {
    const isThere = await linkOrCopy(path.join(kept ?? "", name), path.join(into, name));
    if (!isThere) throw Object.assign(new Error("it is gone"), { code: "ENOENT" });
  }
}

/** Removes what processes that are gone have not finished. */
export async function removeStale(folder: string): Promise<void> {
  for (const name of await foldersIn(folder)) {
    const [, pid] = /^new-(\d+)$/.exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid)))
      await rm(path.join(folder, name), { recursive: true, force: true });
  }
}

/** Drops components' layers, those that were used longest ago first, until the rest is no more than that. */
export async function dropOldest(folder: string, mostBytes: number): Promise<void> {
  const names = (await foldersIn(folder)).filter((name) => !name.startsWith("new-"));
  const all = await Promise.all(
    names.map(async (name) => {
      const own = path.join(folder, name);
      const { mtimeMs } = await lstat(own).catch(() => ({ mtimeMs: 0 }));
      return { own, mtimeMs, bytes: await bytesOf(own) };
    }),
  );
  let bytes = all.reduce((sum, one) => sum + one.bytes, 0);
  for (const one of all.toSorted((a, b) => a.mtimeMs - b.mtimeMs)) {
    if (bytes <= mostBytes) return;
    await rm(one.own, { recursive: true, force: true });
    bytes -= one.bytes;
  }
}

async function bytesOf(own: string): Promise<number> {
  let bytes = 0;
  for (const kept of await listKept(own)) {
    const blobs = path.join(kept, "blobs", "sha256");
    for (const name of await readdir(blobs).catch(() => []))
      bytes += (await lstat(path.join(blobs, name)).catch(() => ({ size: 0 }))).size;
  }
  return bytes;
}

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((one) => one.isDirectory()).map(({ name }) => name);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
