import { randomBytes } from "node:crypto";
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

/** What is kept of a component, the newest last. It is numbered, as a clock may be set back. */
export async function listKept(own: string): Promise<string[]> {
  const names = (await foldersIn(own)).filter((name) => /^\d+-\w+$/.test(name));
  return names
    .toSorted((one, other) => numberOf(one) - numberOf(other) || (one < other ? -1 : 1))
    .map((name) => path.join(own, name));
}

/** Where the next is kept. Builds that end at the same time have places of their own, one of which is the newest. */
export async function nextKept(own: string): Promise<string> {
  const newest = path.basename((await listKept(own)).at(-1) ?? "0");
  return path.join(own, `${numberOf(newest) + 1}-${randomBytes(6).toString("hex")}`);
}

/** Where something is made that is not whole yet. */
export const newPlace = (folder: string): string =>
  path.join(folder, `new-${process.pid}-${randomBytes(6).toString("hex")}`);

const numberOf = (name: string): number => Number.parseInt(name, 10);

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

/**
 * Removes what was not finished, and drops components' layers, those that were used longest ago first, until the rest,
 * with what is made just now, is no more than that.
 */
export async function dropOldest(folder: string, mostBytes: number): Promise<void> {
  const names = await foldersIn(folder);
  let bytes = 0;
  for (const name of names.filter(isNew)) {
    const made = path.join(folder, name);
    if (await isLeft(made)) await rm(made, { recursive: true, force: true });
    else bytes += await blobBytes(made);
  }
  const all = await Promise.all(
    names
      .filter((name) => !isNew(name))
      .map(async (name) => {
        const own = path.join(folder, name);
        const { mtimeMs } = await lstat(own).catch(() => ({ mtimeMs: 0 }));
        return { own, mtimeMs, bytes: await bytesOf(own) };
      }),
  );
  for (const one of all) bytes += one.bytes;
  for (const one of all.toSorted((a, b) => a.mtimeMs - b.mtimeMs)) {
    if (bytes <= mostBytes) return;
    await rm(one.own, { recursive: true, force: true });
    bytes -= one.bytes;
  }
}

const isNew = (name: string): boolean => name.startsWith("new-");
/** Longer than layers are kept. */
const mostAgeMs = 60 * 60_000;

/** Whether nobody makes it any more; a number of a process may be given again. */
async function isLeft(made: string): Promise<boolean> {
  const [, pid = "0"] = /^new-(\d+)/.exec(path.basename(made)) ?? [];
  const { mtimeMs } = await lstat(made).catch(() => ({ mtimeMs: 0 }));
  return !isAlive(Number(pid)) || Date.now() - mtimeMs > mostAgeMs;
}

async function bytesOf(own: string): Promise<number> {
  let bytes = 0;
  for (const kept of await listKept(own)) bytes += await blobBytes(kept);
  return bytes;
}

async function blobBytes(kept: string): Promise<number> {
  const blobs = path.join(kept, "blobs", "sha256");
  let bytes = 0;
  for (const name of await readdir(blobs).catch(() => []))
    bytes += (await lstat(path.join(blobs, name)).catch(() => ({ size: 0 }))).size;
  return bytes;
}

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((one) => one.isDirectory()).map(({ name }) => name);
}

function isAlive(pid: number): boolean {
  if (pid === 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
