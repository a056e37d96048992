import { existsSync } from "node:fs";
import type { Job } from "../../jobs/handler.ts";
import { JobFailure } from "../../jobs/job-failure.ts";
import { pulumiFailure } from "./pulumi-failure.ts";
import type { PulumiRun } from "./pulumi-run.ts";
import { readStateFile } from "./state-file.ts";

const begun = "pulumi/update-begun";

/** Records on disk that from now on the job changes things. */
export async function noteUpdateBegun(job: Job): Promise<void> {
  await job.once(begun, async () => await Promise.resolve(true));
}

/**
 * The failure of a job whose host restarted while it ran. The state that an update left on disk is kept for the broker; the update
 * is reported as killed, so that the broker blocks the workspace.
 */
export async function lostWithHost(job: Job, run: PulumiRun): Promise<JobFailure> {
  const words = "The host restarted while the job ran, so what the job had in memory is lost.";
  const hasBegun = await job.once(begun, async () => await Promise.resolve(false));
  if (!hasBegun) return new JobFailure(words, { reason: "lost", class: "lost" });
  const file = await job.once("pulumi/state-file", async () => await Promise.resolve(""));
  const hasState = file !== "" && existsSync(file);
  if (hasState) {
    const bytes = await readStateFile(file, job.directories.owner);
    const ids = { workspace_id: run.workspaceId, job_id: job.info.id };
    await job.agent.rescued.put({ ...ids, execution_id: job.executionId, bytes });
  }
  const state = hasState
    ? "The state that it left is sealed on this host and is sent to the broker."
    : "What it was changing may be missing in the state.";
  const detail = `${words} Its update had started, and how far it got is unknown. ${state}`;
  return pulumiFailure(detail, { class: "killed_dirty" });
}
