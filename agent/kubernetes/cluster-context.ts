import path from "node:path";
import { writeCloudCredentials } from "../credentials/cloud-credentials.ts";
import { writeKubeconfig } from "../credentials/kubeconfig.ts";
import type { Credentials } from "../credentials/read-credentials.ts";
import { makeJobFolders } from "../job-users/job-files.ts";
import type { Job } from "../jobs/handler.ts";
import { allowedEnv } from "../processes/allowed-env.ts";
import { type Cluster, openCluster } from "./cluster.ts";

/** What a job that deploys to a cluster needs. */
export type ClusterContext = {
  readonly job: Job;
  readonly cluster: Cluster;
  /** The environment of its children: network settings, credentials, a home of their own. */
  readonly env: Readonly<Record<string, string>>;
};

/**
 * Writes the credentials of a plan for children, and opens their cluster. Requests to it end when `until` aborts, by
 * default the job's kill signal. Throws JobFailure.
 */
export async function openClusterContext(
  job: Job,
  credentials: Credentials,
  until: AbortSignal = job.killSignal,
): Promise<ClusterContext> {
  const { workspace, secrets: folder, owner } = job.directories;
  const [home = "", tmp = ""] = ["home", "tmp"].map((name) => path.join(workspace, name));
  await makeJobFolders([home, tmp], owner);
  const hostEnv = job.agent.config.env;
  const plan = credentials.cluster_info?.env_vars ?? {};
  const { env: own, refused } = allowedEnv({ agent: hostEnv, plan, home, tmp });
  for (const { name, words } of refused) {
    job.log(`The variable ${name} is left out: ${words}.`, "warn", "", `left-out ${name}`);
  }
  const env = {
    ...job.agent.networkEnv,
    ...own,
    ...(await writeCloudCredentials(credentials, { folder, owner })),
    ...(await writeKubeconfig(credentials.cluster_info, { folder, owner, clouds: credentials })),
  };
  return { job, env, cluster: await openCluster(job, env, until) };
}
