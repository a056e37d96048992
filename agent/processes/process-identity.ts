import { closeSync, openSync, readFileSync, readSync } from "node:fs";

/** A process that cannot be mistaken for a later one of the same number. */
export type ProcessIdentity = {
  readonly pid: number;
  /** In the kernel's ticks since boot. */
  readonly startTime: string;
};

/** A line of /proc/<pid>/stat, as far as it is of interest. */
export type ProcessStat = ProcessIdentity & {
  readonly state: string;
  readonly group: number;
  readonly session: number;
};

/** Reads a line of /proc/<pid>/stat; the name in brackets may hold anything, brackets too. */
export function parseStat(line: string): ProcessStat | undefined {
  const pid = Number.parseInt(line, 10);
  const [state = "", , group = "", ...rest] = line.slice(line.lastIndexOf(")") + 2).split(" ");
  const [session] = rest;
  const startTime = rest[16];
  if (!(pid > 0) || startTime === undefined) return undefined;
  return { pid, startTime, state, group: Number(group), session: Number(session) };
}

/**
 * What the kernel says of a process now; nothing when it has gone or waits only to be buried. Throws when that cannot
 * be told, for want of file descriptors or memory.
 */
export function readStat(pid: number): ProcessStat | undefined {
  try {
    const stat = parseStat(readLine(`/proc/${pid}/stat`));
    return stat === undefined || /[ZXx]/.test(stat.state) ? undefined : stat;
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

/** Filled and read without a pause between; three calls of the system, where the usual way makes five. */
const line = Buffer.alloc(4_096);

function readLine(file: string): string {
  const fd = openSync(file, "r");
  try {
    return line.toString("latin1", 0, readSync(fd, line, 0, line.length, 0));
  } finally {
    closeSync(fd);
  }
}

/** Whether an error says that a thing is not there, or not ours to see: any other one says nothing about it. */
export function isAbsence(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR", "ESRCH", "EACCES", "EPERM"].includes(
    (error as NodeJS.ErrnoException).code ?? "",
  );
}

/** Whether this very process still runs. */
export function isRunning({ pid, startTime }: ProcessIdentity): boolean {
  return readStat(pid)?.startTime === startTime;
}

/** Signals this very process; false when it has gone. */
export function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals): boolean {
  return isRunning(identity) && send(identity.pid, signal);
}

/**
 * Signals the group that a process leads, as long as the leader runs. A leader that has no group of its own yet is
 * signalled alone.
 */
export function signalGroup(leader: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (!isRunning(leader)) return false;
  return send(-leader.pid, signal) || send(leader.pid, signal);
}

function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false; // gone meanwhile, or another user's
  }
}

let known: string | undefined;

/** Names this start of the machine: ticks since boot mean nothing after the next. */
export function bootId(): string {
  known ??= readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  return known;
}
