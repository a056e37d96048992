import { randomUUID } from "node:crypto";
import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { z } from "zod";
import { pause } from "../client/pause.ts";
import { bootId, isRunning, readStat } from "../processes/process-identity.ts";

const holder = z.object({ pid: z.int(), startTime: z.string(), bootId: z.string() });
const lookEveryMs = 200;

/**
 * Does something while no other process of this host does what has the same lock file. A holder that was killed is no
 * holder any more: it is known by its process, which the kernel tells from every later one. Processes that cannot see
 * each other, in containers that share the folder, may both be at it: what they do has to bear that. Nobody waits past the
 * signal, whose reason is thrown.
 */
export async function withHostLock<T>(
  file: string,
  signal: AbortSignal,
  act: () => Promise<T>,
): Promise<T> {
  const mine = JSON.stringify({ pid: process.pid, startTime: ownStart(), bootId: bootId() });
  while (!(await take(file, mine))) {
    signal.throwIfAborted();
    if (await isHeld(file)) await pause(lookEveryMs, signal);
    else await clear(file, mine);
  }
  try {
    return await act();
  } finally {
    await rm(file, { force: true });
  }
}

/** The file appears whole, or not at all. */
async function take(file: string, mine: string): Promise<boolean> {
  const own = ownName(file);
  await writeFile(own, mine, { mode: 0o600 });
  try {
    await link(own, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    await rm(own, { force: true });
  }
}

async function isHeld(file: string): Promise<boolean> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text !== "" && isAlive(text);
}

function isAlive(text: string): boolean {
  try {
    const { bootId: bornIn, ...process } = holder.parse(JSON.parse(text));
    return bornIn === bootId() && isRunning(process);
  } catch {
    return false; // nobody writes such a thing
  }
}

/** Removes what a dead holder left; what somebody took in the same instant is put back. */
async function clear(file: string, mine: string): Promise<void> {
  const aside = `${ownName(file)}.old`;
  const moved = await rename(file, aside).then(
    () => true,
    () => false,
  );
  if (!moved) return;
  const text = await readFile(aside, "utf8");
  if (text !== mine && isAlive(text)) await link(aside, file).catch(() => {});
  await rm(aside, { force: true });
}

/** In containers that share the folder, processes have the same ids. */
const ownName = (file: string): string => `${file}.${process.pid}-${randomUUID()}`;

function ownStart(): string {
  return readStat(process.pid)?.startTime ?? "";
}
