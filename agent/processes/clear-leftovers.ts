import { mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { sweepWorkspaces } from "../workspace/workspace.ts";
import { removeChildFolder } from "./child-files.ts";
import { listLeaders, readManifest } from "./find-child.ts";
import { bootId } from "./process-identity.ts";
import { sweepMarked, findMarked } from "./sweep-marked.ts";

/** Where executions leave things, and which of them are resumed. */
export type Leftovers = {
  readonly runDir: string;
  readonly workDir: string;
  readonly keep: ReadonlySet<string>;
};

/** What was found of executions that nobody takes up. */
export type Cleared = {
  /** Executions of which something still ran; it was killed. */
  readonly killed: readonly string[];
  readonly folders: number;
  /** What could not be removed, in words. */
  readonly words: readonly string[];
};

/**
 * Ends and removes whatever executions left on this host that are not resumed: processes, output,
 * workspaces. For the start of the agent, before it takes jobs.
 */
export async function clearLeftovers({ runDir, workDir, keep }: Leftovers): Promise<Cleared> {
  const first = await sweepRunDir(runDir, keep);
  for (const executionId of first.running) {
    await sweepMarked(executionId, undefined, listLeaders(runDir, executionId));
  }
  const second = first.running.length === 0 ? undefined : await sweepRunDir(runDir, keep);
  const hanging = (second?.running ?? []).map(
    (executionId) => `Processes of ${executionId} could not be killed: they hang in the kernel.`,
  );
  const { removed, words } = await sweepWorkspaces(workDir, keep);
  return {
    killed: first.running,
    folders: first.removed + (second?.removed ?? 0) + removed,
    words: [...hanging, ...words],
  };
}

/** What a sweep found: folders that it took away, and executions that nobody keeps although they still run. */
export type SweptRunDir = { readonly removed: number; readonly running: readonly string[] };

/**
 * Removes what executions left in the run directory, but for those that are to be kept and those whose
 * processes still run: these are named, for the caller to end or to adopt. For the start, when nobody else is here.
 */
export async function sweepRunDir(runDir: string, keep: ReadonlySet<string>): Promise<SweptRunDir> {
  mkdirSync(runDir, { recursive: true, mode: 0o700 });
  const running = new Set<string>();
  let removed = 0;
  for (const name of readdirSync(runDir)) {
    const executionId = name.split(".")[0] ?? name;
    if (keep.has(executionId)) continue;
    if (await hasProcesses(path.join(runDir, name), executionId)) {
      running.add(executionId);
      continue;
    }
    await removeChildFolder(path.join(runDir, name));
    removed += 1;
  }
  return { removed, running: [...running] };
}

async function hasProcesses(dir: string, executionId: string): Promise<boolean> {
  const manifest = readManifest(dir);
  const leaders = manifest?.bootId === bootId() ? [manifest.leader] : [];
  return (await findMarked(executionId, undefined, leaders)).length > 0;
}
