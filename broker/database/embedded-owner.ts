import { execFile } from "node:child_process";
import { readFile, readlink, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { OperatorError } from "../../shared/operator-error.ts";

const run = promisify(execFile);
const pollMs = 20;

/** How to ask a server to stop, and what share of the time is over before it is asked more urgently. */
const urgencies = [
  ["SIGINT", 0.7],
  ["SIGQUIT", 0.86],
  ["SIGKILL", 0.96],
] as const;

/**
 * Makes this process the one owner of a data directory and answers how to give it up. A directory whose
 * owner is gone is taken over; one whose owner lives is refused with an OperatorError.
 */
export async function claimDataDir(dataDir: string): Promise<() => Promise<void>> {
  const file = path.join(dataDir, "owner");
  const self = `${process.pid} ${await startOf(process.pid)}`;
  for (;;) {
    try {
      await writeFile(file, self, { flag: "wx", mode: 0o600 });
      return async () => await rm(file, { force: true });
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    }
    await removeStale(file, dataDir);
  }
}

/** Stops a server that a killed owner left behind in this cluster; returns when it is gone. */
export async function stopOrphan(cluster: string): Promise<void> {
  const text = await readFile(path.join(cluster, "postmaster.pid"), "utf8").catch(() => "");
  const pid = Number.parseInt(text, 10);
  if (!(pid > 1) || !(await isServerOf(pid, cluster))) return;
  await stopServer(pid);
}

/**
 * Shuts a server down within a time, by default five seconds: fast, then without a checkpoint, then by
 * force.
 */
export async function stopServer(pid: number, withinMs = 5_000): Promise<void> {
  const startedMs = performance.now();
  for (const [signal, share] of urgencies) {
    if (!signalled(pid, signal)) return;
    // All count from the same start: a step that took longer takes nothing from the end.
    const deadlineMs = startedMs + withinMs * share;
    while (performance.now() < deadlineMs) {
      if (!signalled(pid, 0)) return;
      await sleep(pollMs);
    }
  }
}

/** The owner's start time tells it from a stranger that got the same process id later. */
async function removeStale(file: string, dataDir: string): Promise<void> {
  const text = await readFile(file, "utf8").catch(() => "");
  const [pid = "", ...start] = text.split(" ");
  const isAlive =
    Number(pid) > 0 && start.length > 0 && (await startOf(Number(pid))) === start.join(" ");
  if (isAlive) {
    throw new OperatorError(
      `The data directory ${dataDir} is in use by process ${pid}. Stop that process or choose another directory.`,
    );
  }
  await rm(file, { force: true });
}

async function startOf(pid: number): Promise<string> {
  if (process.platform === "linux") {
    const line = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
    // The name in parentheses may hold spaces; the 20th word after it is the start, in clock ticks.
    return line.slice(line.lastIndexOf(")") + 2).split(" ")[19] ?? "gone";
  }
  return await run("ps", ["-o", "lstart=", "-p", String(pid)]).then(
    ({ stdout }) => stdout.trim(),
    () => "gone",
  );
}

async function isServerOf(pid: number, cluster: string): Promise<boolean> {
  if (process.platform === "linux") {
    return (await readlink(`/proc/${pid}/cwd`).catch(() => "")) === cluster;
  }
  return await run("ps", ["-o", "command=", "-p", String(pid)]).then(
    ({ stdout }) => stdout.includes(cluster),
    () => false,
  );
}

/** False when there is no such process any more. */
function signalled(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
