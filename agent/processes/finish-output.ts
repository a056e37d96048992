import { existsSync, readlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { childFiles } from "./child-files.ts";
import type { ChildManifest } from "./child.ts";
import { listOpen, listProcesses } from "./list-processes.ts";
import type { Notifier } from "./notifier.ts";
import { isRunning, type ProcessIdentity, signalGroup, signalProcess } from "./process-identity.ts";
import { findMarked } from "./sweep-marked.ts";

/** How long other processes may go on to print after the child has ended. */
const patienceMs = 5_000;
const lookEveryMs = 1_000;
const longestPauseMs = 30_000;

type Means = { readonly notifier: Notifier; readonly isClosed: () => boolean };

/**
 * Ends the output of a child that has ended. Five seconds later, processes that still hold it open are killed if they
 * are the child's, else the output is cut off. A slow reader does not count. Never rejects.
 */
export async function finishOutput(
  manifest: ChildManifest,
  { notifier, isClosed }: Means,
): Promise<void> {
  let pauseMs = patienceMs;
  let lookAtMs = performance.now() + pauseMs;
  const look = async (): Promise<"over" | "waits"> => {
    const wasCarried = isRunning(manifest.carrier);
    if (isClosed() || isOver(manifest)) return "over";
    if (!wasCarried && (await groupOf(manifest.carrier)).length === 0) return writeEnd(manifest);
    if (performance.now() < lookAtMs) return "waits";
    if ((await letGo(manifest)) === "cut") return writeEnd(manifest);
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    lookAtMs = performance.now() + pauseMs;
    return "waits";
  };
  for (;;) {
    const seen = notifier.count();
    // A check that fails for want of file descriptors is repeated.
    if ((await look().catch(() => "waits")) === "over") return;
    await notifier.after(seen, lookEveryMs);
  }
}

function isOver({ dir }: ChildManifest): boolean {
  return existsSync(path.join(dir, childFiles.end)) || !existsSync(dir);
}

function writeEnd(manifest: ChildManifest): "over" {
  if (!isOver(manifest))
    writeFileSync(path.join(manifest.dir, childFiles.end), "", { mode: 0o600 });
  return "over";
}

/**
 * Kills the child's processes that hold its output. Others may not be killed: the carrier stops reading from them.
 */
async function letGo(manifest: ChildManifest): Promise<"cut" | "waits"> {
  const { carrier, executionId, step, leader } = manifest;
  const pipe = (await groupOf(carrier)).map(({ pid }) => readInput(pid)).find(isPipe);
  if (pipe === undefined) return "waits";
  let strangers = 0;
  const marked = new Set((await findMarked(executionId, step, [leader])).map(({ pid }) => pid));
  for await (const stat of listProcesses()) {
    if (stat.group === carrier.pid || !listOpen(stat.pid).includes(pipe)) continue;
    if (marked.has(stat.pid)) signalProcess(stat, "SIGKILL");
    else strangers += 1;
  }
  if (strangers === 0) return "waits";
  signalGroup(carrier, "SIGKILL");
  return "cut";
}

async function groupOf({ pid }: ProcessIdentity): Promise<ProcessIdentity[]> {
  const group: ProcessIdentity[] = [];
  for await (const stat of listProcesses()) if (stat.group === pid) group.push(stat);
  return group;
}

function readInput(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/fd/0`);
  } catch {
    return "";
  }
}

const isPipe = (name: string) => name.startsWith("pipe:");
