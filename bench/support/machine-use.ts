import { readFileSync } from "node:fs";
import { cpuSeconds } from "./process-cpu.ts";

/** What the machine's cores did in some span: shares of all of them, 0 to 1. */
export type MachineUse = {
  readonly idle: number;
  /** Used by programs that are no part of the bench, by the kernel for itself, and by the machine's neighbours. */
  readonly foreign: number;
};

export type UseSample = { readonly totalS: number; readonly idleS: number; readonly ownS: number };

const ticksPerS = 100;

/** What the machine and this process with its children have used so far; undefined but on Linux. */
export function sampleUse(): UseSample | undefined {
  try {
    return { ...readCpuLine(readFileSync("/proc/stat", "latin1")), ownS: cpuSeconds(process.pid) };
  } catch {
    return undefined;
  }
}

/** The machine's use between two samples. */
export function useBetween(before: UseSample, after: UseSample): MachineUse {
  const totalS = after.totalS - before.totalS;
  if (totalS <= 0) return { idle: Number.NaN, foreign: Number.NaN };
  const idle = (after.idleS - before.idleS) / totalS;
  const own = (after.ownS - before.ownS) / totalS;
  return { idle, foreign: Math.max(0, 1 - idle - own) };
}

/** Reads the first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal; guests are in user. */
export function readCpuLine(stat: string): { totalS: number; idleS: number } {
  const [line = ""] = stat.split("\n", 1);
  const ticks = line.trim().split(/\s+/).slice(1, 9).map(Number);
  const [, , , idle = 0, ioWait = 0] = ticks;
  const total = ticks.reduce((sum, one) => sum + one, 0);
  return { totalS: total / ticksPerS, idleS: (idle + ioWait) / ticksPerS };
}

/** Tells what the machine did since the figures before; figures that are told together share one answer. */
export function watchUse(): () => MachineUse | undefined {
  const togetherMs = 250;
  let before = sampleUse();
  let last: { readonly use: MachineUse; readonly atMs: number } | undefined;
  return () => {
    if (last !== undefined && performance.now() - last.atMs < togetherMs) return last.use;
    const after = sampleUse();
    if (before === undefined || after === undefined) return undefined;
    last = { use: useBetween(before, after), atMs: performance.now() };
    before = after;
    return last.use;
  };
}
