import { randomUUID } from "node:crypto";
import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { z } from "zod";
import { pause } from "../client/pause.ts";
import { bootId, isRunning, readStat } from "../processes/process-identity.ts";

const holder = z.object({ pid: z.int(), startTime: z.string(), bootId: z.string() });
const lookEveryMs = 200;

/**
 * Runs an action under a lock file that excludes other processes of this host. The lock of a killed process is
 * removed; holders are identified by pid and start time. Processes that cannot see each other, in containers that
 * share the folder, may run the action at the same time, so it must tolerate that. Waiting ends with the signal, whose
 * reason is thrown.
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
    return false; // no process of ours writes such a file
  }
}

/** Removes the lock of a dead process; a lock that was taken at the same moment is put back. */
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

/** Processes in different containers may have the same pid. */
const ownName = (file: string): string => `${file}.${process.pid}-${randomUUID()}`;

function ownStart(): string {
  return readStat(process.pid)?.startTime ?? "";
}
