import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Namespaces } from "./open-namespaces.ts";

const run = promisify(execFile);

/** A build that runs: its first process, and what it runs in. */
export type RunningBuild = {
  readonly pid: number;
  readonly namespaces: Namespaces | undefined;
  readonly search: string;
};

/** Has all processes of a build wait, whichever ids they have, or go on. None of them can hinder it; one that is gone needs nothing. */
export async function signalBuild(
  { pid, namespaces, search }: RunningBuild,
  signal: "STOP" | "CONT",
): Promise<void> {
  if (namespaces === undefined) return signalGroup(pid, signal);
  // Its processes are all that there are in their own namespace, but for the first, which only waits for the others.
  const own = ["nsenter", `--pid=/proc/${pid}/ns/pid_for_children`, "--"];
  const [program, ...args] = [...namespaces.enter, ...own, "sh", "-c", `kill -${signal} -1`];
  await run(program, args, { cwd: "/", env: { PATH: search, LC_ALL: "C" } }).catch(() => {});
}

function signalGroup(pid: number, signal: "STOP" | "CONT"): void {
  try {
    process.kill(-pid, `SIG${signal}`);
  } catch {
    // it has ended
  }
}
