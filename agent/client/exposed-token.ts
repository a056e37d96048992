import { readFileSync } from "node:fs";

/**
 * The ancestor process, if any, whose environment shows the token to every job of this user. If this process may not
 * read it, jobs may not either.
 */
export function exposingAncestor(token: string): number | undefined {
  for (let pid = process.ppid; pid > 0; pid = parentOf(pid)) {
    if (read(pid, "environ").includes(token)) return pid;
  }
  return undefined;
}

function parentOf(pid: number): number {
  const stat = read(pid, "stat");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1] ?? 0);
}

function read(pid: number, name: "environ" | "stat"): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "latin1");
  } catch {
    return "";
  }
}
