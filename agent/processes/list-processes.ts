import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  statSync,
} from "node:fs";
import { isAbsence, type ProcessIdentity, type ProcessStat, readStat } from "./process-identity.ts";

const atOnce = 100;

/** Every process of this host that runs; gives way to others now and then. */
export async function* listProcesses(): AsyncGenerator<ProcessStat, void, undefined> {
  for await (const pid of listPids()) {
    const stat = readStat(pid);
    if (stat !== undefined) yield stat;
  }
}

/** What tells whose a process is. */
export type Traits = {
  /** It was started with all these variables. */
  readonly variables: readonly string[];
  /** Or it is of a session or group that one of these leads, or led. */
  readonly leaders: readonly ProcessIdentity[];
};

/** Every running process with these traits; another user's process says nothing, and never counts. */
export async function* listWithTraits({
  variables,
  leaders,
}: Traits): AsyncGenerator<ProcessStat, void, undefined> {
  const needles = variables.map((variable) => Buffer.from(`\0${variable}\0`));
  const known = leaders.filter(isNotReplaced);
  for await (const pid of listPids()) {
    if (!isReadable(pid)) continue;
    const isMarked = hasVariables(pid, needles);
    if (!isMarked && known.length === 0) continue;
    const stat = readStat(pid);
    if (stat === undefined) continue;
    // Once more: the number may have become another process's between the two looks.
    if (known.some((leader) => isLedBy(stat, leader)) || (isMarked && hasVariables(pid, needles)))
      yield stat;
  }
}

/** The kernel gives a number anew only when no session and no group is called by it any more. */
function isNotReplaced({ pid, startTime }: ProcessIdentity): boolean {
  const now = readStat(pid);
  return now === undefined || now.startTime === startTime;
}

/** A leader that has not made its session yet is told by its number alone. */
function isLedBy(stat: ProcessStat, leader: ProcessIdentity): boolean {
  const isOfIt = [stat.pid, stat.session, stat.group].includes(leader.pid);
  return isOfIt && Number(stat.startTime) >= Number(leader.startTime);
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
  try {
    const text = readEnvironment(`/proc/${pid}/environ`);
    return text.length > 0 && needles.every((needle) => text.includes(needle));
  } catch (error) {
    if (isAbsence(error)) return false;
    throw error;
  }
}

/** Asking first spares the cost of an exception for each process of another user's. */
function isReadable(pid: number): boolean {
  const uid = process.geteuid?.();
  return uid === rootUid || statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid === uid;
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
  } catch (error) {
    if (isAbsence(error)) return [];
    throw error;
  }
}

function readLink(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return "";
  }
}
