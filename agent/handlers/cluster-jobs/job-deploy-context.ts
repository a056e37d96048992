import { onceAborted } from "../../client/pause.ts";
import type { Job } from "../../jobs/handler.ts";
import { openClusterContext } from "../../kubernetes/cluster-context.ts";
import type { Cluster } from "../../kubernetes/cluster.ts";
import type { JobRun } from "./job-run.ts";

/** What the parts of a job-deploy share. */
export type JobDeployContext = {
  readonly job: Job;
  readonly run: JobRun;
  readonly cluster: Cluster;
  readonly namespace: string;
};

/** After a kill signal, a job still has the time to delete its Job. */
const lastRequestsMs = 4_000;

/** Opens the cluster that the plan names. Throws JobFailure. */
export async function openJobDeployContext(job: Job, run: JobRun): Promise<JobDeployContext> {
  const late = new AbortController();
  const end = (): void => void setTimeout(() => late.abort(), lastRequestsMs).unref();
  onceAborted(job.killSignal, end);
  const { cluster } = await openClusterContext(job, run.credentials, late.signal);
  return { job, run, cluster, namespace: run.namespace || cluster.namespace };
}
