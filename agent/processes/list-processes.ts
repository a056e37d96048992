import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  statSync,
} from "node:fs";
import { type ProcessStat, readStat } from "./process-identity.ts";

const atOnce = 100;

/** Every process of this host that runs; gives way to others now and then. */
export async function* listProcesses(): AsyncGenerator<ProcessStat, void, undefined> {
  for await (const pid of listPids()) {
    const stat = readStat(pid);
    if (stat !== undefined) yield stat;
  }
}

/** Every running process that was started with all these variables; another user's process says nothing. */
export async function* listWithVariables(
  variables: readonly string[],
): AsyncGenerator<ProcessStat, void, undefined> {
  const needles = variables.map((variable) => Buffer.from(`\0${variable}\0`));
  for await (const pid of listPids()) {
    if (!hasVariables(pid, needles)) continue;
    const stat = readStat(pid);
    // Once more: the number may have become another process's between the two looks.
    if (stat !== undefined && hasVariables(pid, needles)) yield stat;
  }
}

async function* listPids(): AsyncGenerator<number, void, undefined> {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  for (const [at, pid] of pids.entries()) {
    if (at % atOnce === atOnce - 1) await new Promise((resolve) => setImmediate(resolve));
    yield Number(pid);
  }
}

/** Filled and searched without a pause between; hundreds of processes are read in a few milliseconds. */
const environment = Buffer.alloc(64 * 1_024);
const rootUid = 0;

function hasVariables(pid: number, needles: readonly Buffer[]): boolean {
  const place = `/proc/${pid}`;
  if (!isReadable(place)) return false;
  try {
    const text = readEnvironment(`${place}/environ`);
    return text.length > 0 && needles.every((needle) => text.includes(needle));
  } catch {
    return false;
  }
}

/** Asking first spares the cost of an exception for each process of another user's. */
function isReadable(place: string): boolean {
  const uid = process.geteuid?.();
  return uid === rootUid || statSync(place, { throwIfNoEntry: false })?.uid === uid;
}

function readEnvironment(file: string): Buffer {
  const fd = openSync(file, "r");
  try {
    const length = readSync(fd, environment, 1, environment.length - 2, 0);
    if (length === environment.length - 2)
      return Buffer.from(`\0${readFileSync(file, "latin1")}\0`);
    environment[length + 1] = 0;
    return environment.subarray(0, length === 0 ? 0 : length + 2);
  } finally {
    closeSync(fd);
  }
}

/** What a process has open: files' paths, and names such as `pipe:[4711]`. */
export function listOpen(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((fd) => readLink(`/proc/${pid}/fd/${fd}`));
  } catch {
    return [];
  }
}

function readLink(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return "";
  }
}
