import { readFileSync, writeFileSync } from "node:fs";

/** Resident memory of a process in bytes, now or at its most. Linux only. */
export function residentBytes(pid: number, what: "VmRSS" | "VmHWM" = "VmRSS"): number {
  const text = readFileSync(`/proc/${pid}/status`, "latin1");
  return Number(new RegExp(`^${what}:\\s+(\\d+)`, "m").exec(text)?.[1]) * 1024;
}

/** Lets the kernel count the peak from here. */
export function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
}
