import { hostname } from "node:os";
import {
  lockTerraformWorkspaceRoute,
  unlockTerraformWorkspaceRoute,
} from "../../../shared/api/terraform-state.ts";
import { Unanswered } from "../../client/broker-errors.ts";
import { pause } from "../../client/pause.ts";
import type { Job } from "../../jobs/handler.ts";
import { pulumiFailure } from "./pulumi-failure.ts";
import type { PulumiRun } from "./pulumi-run.ts";

const lookEveryMs = 2_000;
const patienceMs = 30_000;

/**
 * Takes the workspace's lock for this job, once, even if the agent restarts. Waits for another holder as long as the plan says, then
 * throws JobFailure that names it.
 */
export async function holdWorkspace(job: Job, run: PulumiRun): Promise<void> {
  await job.once("pulumi/held", async () => {
    await takeLock(job, run);
    return true;
  });
}

/** Gives the lock back. Never rejects: the broker tells of a lock that is left. */
export async function releaseWorkspace(job: Job, run: PulumiRun): Promise<void> {
  const { client, log } = job.agent;
  const { token } = job;
  const how = { scope: "job", giveUpAfterMs: patienceMs, token } as const;
  await client
    .call(unlockTerraformWorkspaceRoute, callOf(job, run), how)
    .catch((error: unknown) => {
      log.warn({ err: error, execution_id: job.executionId }, "failed to give a lock back");
    });
}

async function takeLock(job: Job, run: PulumiRun): Promise<void> {
  const { client } = job.agent;
  const { token, signal } = job;
  const giveUpAtMs = performance.now() + run.lockTimeoutMs;
  for (;;) {
    try {
      const how = { scope: "job", isOnce: true, signal, token } as const;
      await client.call(lockTerraformWorkspaceRoute, callOf(job, run), how);
      return;
    } catch (error) {
      const told = error instanceof Unanswered ? heldIn(error.message) : undefined;
      const isLate = performance.now() + lookEveryMs > giveUpAtMs;
      if (told?.isBlocked === true || (told !== undefined && isLate)) throw heldFailure(told);
      if (!(error instanceof Unanswered)) throw error;
    }
    await pause(lookEveryMs, signal);
  }
}

type Held = { readonly words: string; readonly isBlocked: boolean };

/** The broker's sentence of who holds the workspace, or why it is blocked; undefined for another answer. */
function heldIn(message: string): Held | undefined {
  const words = /^The answer was 423 \((.*)\)\.$/s.exec(message)?.[1];
  return words === undefined
    ? undefined
    : { words, isBlocked: words.startsWith("The workspace is blocked") };
}

function callOf(job: Job, { workspaceId }: PulumiRun) {
  const { id, operation } = job.info;
  return {
    params: { workspace_id: workspaceId },
    query: { job_id: id },
    body: {
      // Its own, so that an agent that goes on with the job has the lock already.
      ID: `pulumi ${job.executionId}`,
      Operation: `pulumi ${operation}`,
      Who: `svc-agent@${hostname()}`,
      Created: new Date().toISOString(),
    },
  };
}

function heldFailure({ words, isBlocked }: Held): Error {
  const kind = isBlocked ? "workspace_blocked" : "state_lock";
  const detail = `${words.replace(/\.$/, "")}. Nothing was changed.`;
  return pulumiFailure(detail, { class: kind, isRetryable: !isBlocked });
}
