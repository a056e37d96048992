import { readdirSync, readFileSync } from "node:fs";

/** Clock ticks a second of /proc's CPU times; 100 on every Linux that Node runs on. */
const ticksPerS = 100;

type Stat = { readonly pid: number; readonly parent: number; readonly ticks: number };

/** CPU seconds that a process and its children have used so far, those that have ended included. Linux only. */
export function cpuSeconds(pid: number): number {
  const children = readChildren();
  const own = readStat(String(pid))[0]?.ticks ?? 0;
  return (own + ticksOfChildren(children, pid)) / ticksPerS;
}

/** The process ids of a process's children, and of theirs. */
export function descendants(pid: number, children = readChildren()): number[] {
  return (children.get(pid) ?? []).flatMap((child) => [
    child.pid,
    ...descendants(child.pid, children),
  ]);
}

function readChildren(): ReadonlyMap<number, readonly Stat[]> {
  const all = readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? readStat(name) : []));
  return Map.groupBy(all, ({ parent }) => parent);
}

/** CPU seconds of a process with its children; of this process, which is the parent of all others, only its own. */
export function cpuOf(pid: number): number {
  if (pid !== process.pid) return cpuSeconds(pid);
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

function ticksOfChildren(children: ReadonlyMap<number, readonly Stat[]>, pid: number): number {
  return (children.get(pid) ?? []).reduce(
    (sum, child) => sum + child.ticks + ticksOfChildren(children, child.pid),
    0,
  );
}

/** What stands behind the name's closing bracket: state, parent, …, utime, stime, cutime, cstime. */
function readStat(pid: string): Stat[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const ticks = [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0);
    return [{ pid: Number(pid), parent: Number(fields[1]), ticks }];
  } catch {
    return []; // it ended meanwhile
  }
}
