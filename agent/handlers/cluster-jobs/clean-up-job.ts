import { type ClusterJob, clusterJobName, jobAt } from "../../cluster-jobs/cluster-job.ts";
import { removeClusterJob } from "../../cluster-jobs/remove-cluster-job.ts";
import type { Job } from "../../jobs/handler.ts";
import { refWords } from "../../kubernetes/kube-object.ts";
import { type JobDeployContext, openJobDeployContext } from "./job-deploy-context.ts";
import type { JobRun } from "./job-run.ts";
import { isOver } from "./remove-former.ts";
import { executionLabel } from "./render-job.ts";

/** A pod's own grace period is thirty seconds. */
const withinMs = 50_000;

/**
 * Deletes the Job of this execution if it exists and has not ended: an earlier process of the agent created it, and
 * the job was stopped before this process could resume it. Throws JobFailure or ApiRefusal.
 */
export async function cleanUpJob(job: Job, run: JobRun): Promise<void> {
  const context = await openJobDeployContext(job, run);
  try {
    const became = await removeOwn(context);
    if (became !== undefined) job.log(became, "warn");
  } finally {
    context.cluster.close();
  }
}

/** The same on an open cluster; says what became of the Job. Undefined when there is none, or it is another's. */
export async function removeOwn({
  job,
  run,
  cluster,
  namespace,
}: JobDeployContext): Promise<string | undefined> {
  const at = jobAt(namespace, clusterJobName(run.prefix, job.executionId));
  const object = await cluster.get(at);
  const uid = object?.metadata.uid ?? "";
  const isOurs = object?.metadata.labels?.[executionLabel] === job.executionId;
  if (!isOurs || isOver(object)) return undefined;
  return await removeSaying({ job, cluster }, { at, uid, object });
}

/** Deletes a Job and says what became of it. Throws JobFailure or ApiRefusal. */
export async function removeSaying(
  { job, cluster }: Pick<JobDeployContext, "job" | "cluster">,
  one: ClusterJob,
): Promise<string> {
  const name = refWords(one.at.ref);
  const left = await removeClusterJob(cluster, one, { withinMs, signal: job.killSignal });
  if (left.length === 0) return `${name} was deleted with its pods.`;
  return `${name} is being deleted, but these still exist: ${left.slice(0, 3).join(", ")}.`;
}
