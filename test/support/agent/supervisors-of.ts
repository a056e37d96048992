import { readdirSync, readFileSync } from "node:fs";
import { isAbsence } from "../../../agent/processes/process-identity.ts";

/** The processes that were started for the child's folder, and still run: its supervisor and what carries its output. */
export function supervisorsOf(dir: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => argumentsOf(name).some((word) => word === dir || word.includes(`${dir}/`)))
    .map(Number);
}

function argumentsOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch (error) {
    if (isAbsence(error)) return [];
    throw error;
  }
}
