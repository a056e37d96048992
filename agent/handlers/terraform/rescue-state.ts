import { existsSync } from "node:fs";
import { rescueStateRoute } from "../../../shared/api/rescued-states.ts";
import type { FileOwner } from "../../job-users/job-files.ts";
import { JobFailure } from "../../jobs/job-failure.ts";
import type { RescuedState } from "../../spool/rescued-states.ts";
import { pushState } from "./push-state.ts";
import { readBytes } from "./read-json-file.ts";
import type { Ran } from "./run-terraform.ts";
import type { TerraformContext } from "./terraform-context.ts";
import { terraformFailure } from "./terraform-failure.ts";

/**
 * Where a state is that terraform could not save: in the workspace, at the broker as a rescued state, or on this host.
 */
export type Rescued = "none" | "saved" | "at-broker" | "on-host";

/** A state that is too large for the broker stays sealed on this host. */
const mostStateBytes = 256 * 2 ** 20;
const patienceMs = 15_000;

/**
 * Saves the state that terraform left on this host: first here, where it survives the job, the agent and a power
 * failure, then at the broker. What the broker does not accept now is sent later (agent/loops/upload-states.ts).
 */
export async function rescueState(context: TerraformContext): Promise<Rescued> {
  const { job, run, files } = context;
  if (!existsSync(files.erroredState)) return "none";
  const bytes = await readErroredState(files.erroredState, job.directories.owner);
  const { rescued } = job.agent;
  const ids = { workspace_id: run.workspaceId, job_id: job.info.id };
  const state: RescuedState = { ...ids, execution_id: job.executionId, bytes };
  await rescued.put(state);
  const words = "terraform could not save its state; this host has it and sends it to the broker.";
  job.log(words, "warn", "apply", "rescued");
  if (await pushState(job, state)) {
    await rescued.remove(job.executionId);
    job.log("The state was saved at the broker.", "info", "apply", "pushed");
    return "saved";
  }
  if (!(await keptAside(context, state))) return "on-host";
  await rescued.remove(job.executionId);
  return "at-broker";
}

/**
 * Reads the state in a file that terraform left. Throws JobFailure, class state_push_failed, when it is above every
 * limit.
 */
export async function readErroredState(file: string, owner: FileOwner): Promise<Buffer> {
  const what = { what: "The state that could not be saved", mostBytes: mostStateBytes };
  return await readBytes(file, owner, what).catch((error: unknown) => {
    if (!(error instanceof JobFailure)) throw error;
    throw terraformFailure(error.message, { class: "state_push_failed", detail: error.message });
  });
}

async function keptAside({ job }: TerraformContext, state: RescuedState): Promise<boolean> {
  const { workspace_id, job_id, bytes } = state;
  const { token } = job;
  try {
    const how = { scope: "job", giveUpAfterMs: patienceMs, bytes, token } as const;
    const input = { params: { workspace_id }, query: { job_id } };
    await job.agent.client.call(rescueStateRoute, input, how);
    return true;
  } catch (error) {
    job.agent.log.warn(
      { err: error, execution_id: job.executionId },
      "a state waits on this host for the broker",
    );
    return false;
  }
}

/** Whether the only error was that the state could not be saved. */
export function isOnlyUnsaved({ end, said }: Ran): boolean {
  const isAll = said.diagnostics.every(({ summary }) => /state/i.test(summary));
  return end.why === "exited" && end.code === 1 && said.failed === 0 && isAll;
}
