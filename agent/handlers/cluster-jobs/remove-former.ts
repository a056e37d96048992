import { removeClusterJob } from "../../cluster-jobs/remove-cluster-job.ts";
import { deployFailure } from "../../kubernetes/deploy-failure.ts";
import { type KubeObject, refWords } from "../../kubernetes/kube-object.ts";
import type { JobDeployContext } from "./job-deploy-context.ts";
import { executionLabel, jobLabel } from "./render-job.ts";
import { listJobs } from "./tear-down-jobs.ts";

const withinMs = 90_000;

/**
 * Deletes a Job that an earlier execution of the same job left running when its agent was lost: two never run at a
 * time. Throws JobFailure when it cannot be deleted.
 */
export async function removeFormer(context: JobDeployContext): Promise<void> {
  const { job, cluster } = context;
  if (job.info.execution_count <= 1) return;
  const found = await listJobs(context, { [jobLabel]: job.info.id });
  for (const one of found) {
    const isOurs = one.object.metadata.labels?.[executionLabel] === job.executionId;
    if (isOurs || isOver(one.object)) continue;
    const name = refWords(one.at.ref);
    const words = `${name} of an earlier execution may still run: it is deleted first.`;
    job.log(words, "warn", "", `former ${one.uid}`);
    const left = await removeClusterJob(cluster, one, { withinMs, signal: job.signal });
    if (left.length === 0) continue;
    const still = `An earlier execution of this job may still run: ${left.join(", ")} still exists.`;
    throw deployFailure(still, "locked");
  }
}

type Conditioned = {
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
};

/** Whether a Job has succeeded or failed. */
export function isOver(job: KubeObject): boolean {
  const { conditions = [] } = (job["status"] ?? {}) as Conditioned; // Jobs have that form
  return conditions.some(
    ({ type, status }) => status === "True" && (type === "Complete" || type === "Failed"),
  );
}
