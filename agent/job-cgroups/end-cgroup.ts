import { existsSync, readFileSync } from "node:fs";
import { readdir, rmdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { pauseBetweenLooks } from "../processes/pause-between-looks.ts";
import { isAbsence } from "../processes/process-identity.ts";

const giveUpAfterMs = 20_000;

/**
 * Kills all processes in a cgroup and below it, and removes the cgroup. Returns how many hang in the kernel and are
 * left; 0 for a cgroup that does not exist.
 */
export async function endCgroup(folder: string): Promise<number> {
  const giveUpAtMs = performance.now() + giveUpAfterMs;
  for (let round = 0; ; round += 1) {
    try {
      if (!isPopulated(folder)) break;
      await (existsSync(path.join(folder, "cgroup.kill")) ? kill(folder) : killOneByOne(folder));
      if (performance.now() > giveUpAtMs) return (await processesIn(folder)).length;
    } catch (error) {
      // Failed for want of file descriptors or memory, which others will free.
      if (performance.now() > giveUpAtMs) throw error;
    }
    await pauseBetweenLooks(round);
  }
  await removeCgroup(folder, giveUpAtMs);
  return 0;
}

/** cgroup.kill (Linux 5.14) is atomic: what forks meanwhile is killed as well. */
async function kill(folder: string): Promise<void> {
  await write(path.join(folder, "cgroup.kill"), "1");
}

/** For older kernels: frozen processes cannot fork, but can be killed. */
export async function killOneByOne(folder: string): Promise<void> {
  await write(path.join(folder, "cgroup.freeze"), "1");
  for (const pid of await processesIn(folder)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended meanwhile.
    }
  }
}

/** Children first. A process that has just died may still hold a cgroup for a moment. */
async function removeCgroup(folder: string, giveUpAtMs: number): Promise<void> {
  for (const below of await foldersIn(folder)) await removeCgroup(below, giveUpAtMs);
  for (let round = 0; ; round += 1) {
    try {
      await rmdir(folder);
      return;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOENT") return;
      if (code !== "EBUSY" || performance.now() > giveUpAtMs) throw error;
      await pauseBetweenLooks(round);
    }
  }
}

async function processesIn(folder: string): Promise<number[]> {
  const here = readLines(path.join(folder, "cgroup.procs")).map(Number);
  const below = await Promise.all((await foldersIn(folder)).map(processesIn));
  return [...here, ...below.flat()];
}

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((one) => one.isDirectory()).map(({ name }) => path.join(folder, name));
}

function isPopulated(folder: string): boolean {
  return readLines(path.join(folder, "cgroup.events")).includes("populated 1");
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, "utf8").split("\n").filter(Boolean);
  } catch (error) {
    if (isAbsence(error) || (error as NodeJS.ErrnoException).code === "ENODEV") return [];
    throw error;
  }
}

async function write(file: string, text: string): Promise<void> {
  await writeFile(file, text).catch((error: unknown) => {
    if (!isAbsence(error) && (error as NodeJS.ErrnoException).code !== "ENODEV") throw error;
  });
}
