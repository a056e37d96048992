import { rescueStateRoute } from "../../shared/api/rescued-states.ts";
import type { AgentContext } from "../agent-context.ts";
import { Refused } from "../client/broker-errors.ts";
import { pause } from "../client/pause.ts";
import type { LoopContext } from "./loop-context.ts";
import type { Loop } from "./loop-runner.ts";

const lookEveryMs = 60_000;
const longestSendMs = 5 * 60_000; // a state may have 64 MiB

/**
 * Uploads Terraform states that could not be saved, until the signal aborts. The broker keeps them until an operator
 * decides. A refused one stays on this host and is retried.
 */
export async function uploadStates(
  { agent }: Pick<LoopContext, "agent">,
  { signal, turn }: Loop,
): Promise<void> {
  while (!signal.aborted) {
    turn();
    let isDone = true;
    for (const executionId of await agent.rescued.list()) {
      // A running job uploads its own state.
      if (agent.runningJobs.all().some((job) => job.executionId === executionId)) continue;
      if (!(await bring(agent, executionId, signal))) isDone = false;
    }
    await pause(isDone ? lookEveryMs : Math.min(lookEveryMs, agent.config.retryMost), signal);
  }
}

async function bring(
  { client, rescued, log }: AgentContext,
  executionId: string,
  signal: AbortSignal,
): Promise<boolean> {
  const state = await rescued.read(executionId);
  if (state === undefined) return true;
  const { workspace_id, job_id, bytes } = state;
  const told = { execution_id: executionId, workspace_id };
  try {
    const how = { scope: "job", isOnce: true, timeoutMs: longestSendMs, signal, bytes } as const;
    const input = { params: { workspace_id }, query: { job_id } };
    await client.call(rescueStateRoute, input, how);
    await rescued.remove(executionId);
    log.info(told, "a rescued state was uploaded");
    return true;
  } catch (error) {
    const isRefused = error instanceof Refused;
    log[isRefused ? "error" : "warn"](
      { err: error, ...told },
      "uploading a rescued state failed; it stays on this host",
    );
    return isRefused;
  }
}
