import { askApproval } from "../../approval/ask-approval.ts";
import { type ClusterJob, jobAt } from "../../cluster-jobs/cluster-job.ts";
import { removeClusterJob } from "../../cluster-jobs/remove-cluster-job.ts";
import type { JobResult } from "../../jobs/handler.ts";
import { deployFailure } from "../../kubernetes/deploy-failure.ts";
import { eachOf } from "../../kubernetes/each-of.ts";
import { refWords } from "../../kubernetes/kube-object.ts";
import { removePullSecret } from "../../kubernetes/pull-secret.ts";
import type { JobDeployContext } from "./job-deploy-context.ts";
import { judge } from "./judge.ts";
import { ownerLabels, whatIsTornDown } from "./render-job.ts";

const withinMs = 120_000;

/**
 * Deletes all Jobs that were created for the component, running or ended, and waits until they are gone. Throws
 * JobFailure.
 */
export async function tearDownJobs(context: JobDeployContext): Promise<JobResult> {
  const { job, run, cluster, namespace } = context;
  const listed = await listOwn(context);
  // An agent that resumes this job does not delete Jobs that were created since.
  const uids = listed.map(({ uid }) => uid);
  const shown = await job.once("shown", async () => await Promise.resolve(uids));
  const found = listed.filter(({ uid }) => shown.includes(uid));
  await job.once("judged", async () => {
    judge(run, whatIsTornDown(run, context));
    await askApproval(job, found.map(({ at }) => `- ${refWords(at.ref)} (delete)`).join("\n"));
    return true;
  });
  const left = await eachOf(found, async (one) => {
    const stays = await removeClusterJob(cluster, one, { withinMs, signal: job.signal });
    if (stays.length === 0) {
      job.log(`${refWords(one.at.ref)} was deleted.`, "info", "delete", `deleted ${one.uid}`);
    }
    return stays;
  });
  const [first, ...more] = left.flat();
  if (first !== undefined) {
    const others = more.length === 0 ? "" : ` and ${more.length} more`;
    const words = `${first}${others} was deleted but still exists.`;
    throw deployFailure(words, job.signal.aborted ? "canceled" : "timeout");
  }
  await removePullSecret(context, run.pullSecret, { namespace });
  const description =
    shown.length === 0 ? "There was nothing to delete." : `${shown.length} deleted.`;
  return { description, outputs: { deleted: shown.length, namespace } };
}

/** The Jobs that were created for the component, whichever job at the broker created them. */
export async function listOwn({
  run,
  cluster,
  namespace,
}: JobDeployContext): Promise<ClusterJob[]> {
  return await listJobs({ cluster, namespace }, ownerLabels(run.belongsTo));
}

/** The Jobs of a namespace with all of these labels. */
export async function listJobs(
  { cluster, namespace }: Pick<JobDeployContext, "cluster" | "namespace">,
  labels: Readonly<Record<string, string>>,
): Promise<ClusterJob[]> {
  const labelSelector = Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(",");
  const { resource } = jobAt(namespace, "");
  const found = await cluster.list(resource, namespace, { labelSelector });
  return found.map((object) => ({
    at: jobAt(namespace, object.metadata.name),
    uid: object.metadata.uid ?? "",
    object,
  }));
}
