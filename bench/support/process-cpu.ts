import { readdirSync, readFileSync } from "node:fs";

/** Clock ticks a second of /proc's CPU times; 100 on every Linux that Node runs on. */
const ticksPerS = 100;

type Stat = { readonly pid: number; readonly parent: number; readonly ticks: number };

/** CPU seconds that a process and its children have used so far, those that have ended included. Linux only. */
export function cpuSeconds(pid: number): number {
  const all = readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? readStat(name) : []));
  return ticksOfTree(all, pid) / ticksPerS;
}

function ticksOfTree(all: readonly Stat[], pid: number): number {
  const own = all.find((stat) => stat.pid === pid)?.ticks ?? 0;
  const children = all.filter((stat) => stat.parent === pid);
  return children.reduce((sum, child) => sum + ticksOfTree(all, child.pid), own);
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
