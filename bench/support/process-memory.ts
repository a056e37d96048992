import { readFileSync, writeFileSync } from "node:fs";
import { descendants } from "./process-cpu.ts";

/** Resident memory of a process in bytes, now or at its most. Linux only. */
export function residentBytes(pid: number, what: "VmRSS" | "VmHWM" = "VmRSS"): number {
  const text = readFileSync(`/proc/${pid}/status`, "latin1");
  return Number(new RegExp(`^${what}:\\s+(\\d+)`, "m").exec(text)?.[1]) * 1024;
}

/** Resident memory of a process with all its children now, in bytes; the pages of the program's files are counted once. */
export function residentOfTree(pid: number): number {
  const all = [pid, ...descendants(pid)].map(residentParts);
  const own = all.reduce((sum, { ownBytes }) => sum + ownBytes, 0);
  return own + Math.max(0, ...all.map(({ fileBytes }) => fileBytes));
}

/** What a process has of its own, and of files that others may have as well; nothing of one that has ended. */
function residentParts(pid: number): { readonly ownBytes: number; readonly fileBytes: number } {
  try {
    const text = readFileSync(`/proc/${pid}/status`, "latin1");
    const bytesOf = (what: string): number =>
      Number(new RegExp(`^${what}:\\s+(\\d+)`, "m").exec(text)?.[1] ?? 0) * 1024;
    return {
      ownBytes: bytesOf("RssAnon") + bytesOf("RssShmem"),
      fileBytes: bytesOf("RssFile"),
    };
  } catch {
    return { ownBytes: 0, fileBytes: 0 };
  }
}

/** Lets the kernel count the peak from here. */
export function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
}
