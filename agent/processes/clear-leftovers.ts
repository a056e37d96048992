import { sweepWorkspaces } from "../workspace/workspace.ts";
import { listLeaders } from "./find-child.ts";
import { sweepMarked } from "./sweep-marked.ts";
import { sweepRunDir } from "./sweep-run-dir.ts";

/** Where executions leave things, and which of them are taken up again. */
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
  /** What could not be taken away, in words. */
  readonly words: readonly string[];
};

/**
 * Ends and takes away whatever executions left on this host that are not taken up again: processes, output,
 * workspaces. For the start of the agent, before it takes jobs.
 */
export async function clearLeftovers({ runDir, workDir, keep }: Leftovers): Promise<Cleared> {
  const first = await sweepRunDir(runDir, keep);
  for (const executionId of first.running) {
    await sweepMarked(executionId, undefined, listLeaders(runDir, executionId));
  }
  const second = first.running.length === 0 ? undefined : await sweepRunDir(runDir, keep);
  const hanging = (second?.running ?? []).map(
    (executionId) => `Processes of ${executionId} could not be ended: they hang in the kernel.`,
  );
  const { removed, words } = await sweepWorkspaces(workDir, keep);
  return {
    killed: first.running,
    folders: first.removed + (second?.removed ?? 0) + removed,
    words: [...hanging, ...words],
  };
}
