import { closeSync, openSync, readFileSync, readSync } from "node:fs";

/** Identifies a process, even when its pid is reused later. */
export type ProcessIdentity = {
  readonly pid: number;
  /** Its start time, in clock ticks since boot. */
  readonly startTime: string;
};

/** The fields of /proc/<pid>/stat that are used. */
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
 * The current state of a process; undefined when it has ended or is a zombie. Throws when that cannot be read, for
 * want of file descriptors or memory.
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

/** One shared buffer, used synchronously: three system calls, where readFile makes five. */
const line = Buffer.alloc(4_096);

function readLine(file: string): string {
  const fd = openSync(file, "r");
  try {
    return line.toString("latin1", 0, readSync(fd, line, 0, line.length, 0));
  } finally {
    closeSync(fd);
  }
}

/** Whether an error means that something does not exist or may not be seen; other errors say nothing about that. */
export function isAbsence(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR", "ESRCH", "EACCES", "EPERM"].includes(
    (error as NodeJS.ErrnoException).code ?? "",
  );
}

/** Whether exactly this process still runs. */
export function isRunning({ pid, startTime }: ProcessIdentity): boolean {
  return readStat(pid)?.startTime === startTime;
}

/** Signals exactly this process; false when it has ended. */
export function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals): boolean {
  return isRunning(identity) && send(identity.pid, signal);
}

/**
 * Signals the process group that a process leads, while the leader runs. A leader without its own group yet is
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
    return false; // it has ended meanwhile, or belongs to another user
  }
}

let known: string | undefined;

/** The id of this boot: ticks since boot mean nothing after the next. */
export function bootId(): string {
  known ??= readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  return known;
}
