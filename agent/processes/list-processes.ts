import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { type ProcessStat, readStat } from "./process-identity.ts";

const atOnce = 100;

/** Every process of this host that runs; gives way to others now and then. */
export async function* listProcesses(): AsyncGenerator<ProcessStat, void, undefined> {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  for (const [at, pid] of pids.entries()) {
    if (at % atOnce === atOnce - 1) await new Promise((resolve) => setImmediate(resolve));
    const stat = readStat(Number(pid));
    if (stat !== undefined) yield stat;
  }
}

/** Whether a process was started with all these variables; another user's process says nothing. */
export function hasVariables(pid: number, variables: readonly string[]): boolean {
  try {
    const environment = `\0${readFileSync(`/proc/${pid}/environ`, "latin1")}\0`;
    return variables.every((variable) => environment.includes(`\0${variable}\0`));
  } catch {
    return false;
  }
}

/** What a process has open: files' paths, and names such as `pipe:[4711]`. */
export function listOpen(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((fd) => readLink(`/proc/${pid}/fd/${fd}`));
  } catch {
    return [];
  }
}

function readLink(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return "";
  }
}
