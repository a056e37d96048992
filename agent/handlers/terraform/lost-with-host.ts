import { existsSync } from "node:fs";
import path from "node:path";
import type { Job } from "../../jobs/handler.ts";
import { JobFailure } from "../../jobs/job-failure.ts";
import { readErroredState } from "./rescue-state.ts";
import { terraformFailure } from "./terraform-failure.ts";
import type { TerraformRun } from "./terraform-run.ts";

const begun = "terraform/apply-begun";

/** Records on disk that from now on the job changes things. */
export async function noteApplyBegun(job: Job): Promise<void> {
  await job.once(begun, async () => await Promise.resolve(true));
}

/**
 * The failure of a job whose host restarted while it ran. A state that terraform left on disk is kept for the broker;
 * an apply that had begun is reported as killed, so that the broker blocks the workspace.
 */
export async function lostWithHost(job: Job, run: TerraformRun): Promise<JobFailure> {
  const words = "The host restarted while the job ran, so what the job had in memory is lost.";
  const hasBegun = await job.once(begun, async () => await Promise.resolve(false));
  if (!hasBegun) return new JobFailure(words, { reason: "lost", class: "lost" });
  const folder = path.join(
    job.directories.workspace,
    "sources",
    "configuration",
    run.source.directory,
  );
  const file = path.join(folder, "errored.tfstate");
  const hasState = existsSync(file);
  if (hasState) {
    const bytes = await readErroredState(file, job.directories.owner);
    const ids = { workspace_id: run.workspaceId, job_id: job.info.id };
    await job.agent.rescued.put({ ...ids, execution_id: job.executionId, bytes });
  }
  const state = hasState
    ? "The state that terraform could not save is sealed on this host and is sent to the broker."
    : "What it was changing may be missing in the state, and its lock may be left.";
  const detail = `${words} Its apply had started, and how far it got is unknown. ${state}`;
  return terraformFailure(detail, { class: "killed_dirty", detail });
}
