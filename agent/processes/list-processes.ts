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

/** All running processes of this host; yields to other work now and then. */
export async function* listProcesses(): AsyncGenerator<ProcessStat, void, undefined> {
  for await (const pid of listPids()) {
    const stat = readStat(pid);
    if (stat !== undefined) yield stat;
  }
}

/** What identifies the owner of a process. */
export type Traits = {
  /** Its environment has all these variables. */
  readonly variables: readonly string[];
  /** Or its session or process group is, or was, led by one of these. */
  readonly leaders: readonly ProcessIdentity[];
};

/** All running processes with these traits. A process of another user cannot be read and never counts. */
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
    // Checked again: the pid may have been reused between the two reads.
    if (known.some((leader) => isLedBy(stat, leader)) || (isMarked && hasVariables(pid, needles)))
      yield stat;
  }
}

/** The kernel reuses a pid only when no session and no process group has it any more. */
function isNotReplaced({ pid, startTime }: ProcessIdentity): boolean {
  const now = readStat(pid);
  return now === undefined || now.startTime === startTime;
}

/** A leader without its own session yet is identified by its pid alone. */
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

/** One shared buffer, filled and searched synchronously; reading hundreds of processes takes a few milliseconds. */
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

/** Checking first saves the cost of an exception for each process of another user. */
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

/** What a process has open: paths of files, and names such as `pipe:[4711]`. */
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
