import { readdir } from "node:fs/promises";
import path from "node:path";
import type { AgentContext } from "../agent-context.ts";
import { removeChildFolder } from "../processes/child-files.ts";
import { listLeaders } from "../processes/find-child.ts";
import { sweepMarked } from "../processes/sweep-marked.ts";
import { removeWorkspace } from "../workspace/workspace.ts";
import { forgetExecution } from "./execution-record.ts";

/**
 * Ends and removes what an earlier process of the agent left of an execution that no longer belongs to this agent.
 * Never rejects.
 */
export async function abandonJob(
  {
    config,
    runDir,
    log,
    jobUsers,
    jobCgroups,
  }: Pick<AgentContext, "config" | "runDir" | "log" | "jobUsers" | "jobCgroups">,
  executionId: string,
): Promise<void> {
  try {
    await jobCgroups.end(executionId);
    await sweepMarked(executionId, undefined, listLeaders(runDir.path, executionId));
    await jobUsers.end(executionId);
    await removeWorkspace(config.workDir, executionId);
    await removeFolders(runDir.path, executionId);
    await forgetExecution(config.dataDir, executionId);
    await jobUsers.giveBack(executionId);
  } catch (error) {
    log.error({ err: error, execution_id: executionId }, "removing the leftovers of a job failed");
  }
}

/** Removes everything of the execution in the run directory, also of steps that have ended. */
export async function removeFolders(runDir: string, executionId: string): Promise<void> {
  const left = (await readdir(runDir)).filter((name) => name.startsWith(`${executionId}.`));
  for (const name of left) await removeChildFolder(path.join(runDir, name));
}
