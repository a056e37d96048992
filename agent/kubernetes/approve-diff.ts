import { askApproval } from "../approval/ask-approval.ts";
import type { Job } from "../jobs/handler.ts";
import { type Diff } from "./change.ts";
import { deployFailure } from "./deploy-failure.ts";
import { diffLines } from "./diff-contents.ts";
import { digestOfDiff } from "./digest-of-diff.ts";

/**
 * Asks for approval of a diff, if the agent requires it, and computes the diff again afterwards, because approval may
 * take long. Throws JobFailure: `refused`, or `plan_stale` when the diff has changed.
 */
export async function approveDiff(job: Job, diff: Diff, again: () => Promise<Diff>): Promise<void> {
  if (job.agent.config.requireApproval === undefined) return;
  const digest = digestOfDiff(diff);
  // After a restart during the approval, the agent must not ask for something else.
  const shown = await job.once("consent/diff", async () => await Promise.resolve(digest));
  if (shown !== digest) throw changedMeanwhile();
  await askApproval(job, diffLines(diff, job.redact).join("\n"));
  if (digestOfDiff(await again()) !== shown) throw changedMeanwhile();
}

/** The failure of a job whose cluster changed during the approval. */
export function changedMeanwhile(): Error {
  return deployFailure(
    "The changes are not what was shown for approval: the cluster or the source has changed in the meantime. Nothing was done: start the job again.",
    "plan_stale",
  );
}
