import { readdirSync, readFileSync } from "node:fs";

const mostRounds = 50;

/** Kills every process whose environment names the folder, as all of a container ends with its first process. */
export function killWithin(folder: string): void {
  for (let round = 0; round < mostRounds; round += 1) {
    const found = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && names(name, folder));
    if (found.length === 0) return;
    for (const pid of found) kill(Number(pid));
  }
}

function names(pid: string, folder: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").includes(`${folder}/`);
  } catch {
    return false; // it has ended, or is another user's
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // it has ended
  }
}
