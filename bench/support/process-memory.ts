import { readFileSync, writeFileSync } from "node:fs";
import { descendants } from "./process-cpu.ts";

/** Resident memory of a process in bytes, now or at its most. Linux only. */
export function residentBytes(pid: number, what: "VmRSS" | "VmHWM" = "VmRSS"): number {
  const text = readFileSync(`/proc/${pid}/status`, "latin1");
  return Number(new RegExp(`^${what}:\\s+(\\d+)`, "m").exec(text)?.[1]) * 1024;
}

/** Resident memory of a process with all its children now, in bytes; pages that they share are counted for each. */
export function residentOfTree(pid: number): number {
  return [pid, ...descendants(pid)].reduce((sum, one) => sum + (residentOrGone(one) ?? 0), 0);
}

function residentOrGone(pid: number): number | undefined {
  try {
    return residentBytes(pid) || undefined; // a process that has ended has none
  } catch {
    return undefined;
  }
}

/** Lets the kernel count the peak from here. */
export function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
}
