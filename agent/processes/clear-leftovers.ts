import { mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { sweepWorkspaces } from "../workspace/workspace.ts";
import { removeChildFolder } from "./child-files.ts";
import { listLeaders, readManifest } from "./find-child.ts";
import { bootId } from "./process-identity.ts";
import { sweepMarked, findMarked } from "./sweep-marked.ts";

/** Where executions leave files, and which executions are resumed. */
export type Leftovers = {
  readonly runDir: string;
  readonly workDir: string;
  readonly keep: ReadonlySet<string>;
};

/** What was found of executions that are not resumed. */
export type Cleared = {
  /** Executions whose processes still ran and were killed. */
  readonly killed: readonly string[];
  readonly folders: number;
  /** Messages about what could not be removed. */
  readonly words: readonly string[];
};

/**
 * Ends and removes what executions that are not resumed left on this host: processes, output, workspaces. Called at
 * the start of the agent, before it takes jobs.
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

/** The result of a sweep: removed folders, and executions to end or adopt whose processes still run. */
export type SweptRunDir = { readonly removed: number; readonly running: readonly string[] };

/**
 * Removes what executions left in the run directory, except those to keep and those whose processes still run; the
 * latter are returned, to be ended or adopted. Called at the start, when no other process works here.
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
