import path from "node:path";
import { makeJobFolders } from "../../job-users/job-files.ts";
import type { Job } from "../../jobs/handler.ts";
import { JobFailure } from "../../jobs/job-failure.ts";
import { diffKey } from "../../kubernetes/approved.ts";
import { type ClusterContext, openClusterContext } from "../../kubernetes/cluster-context.ts";
import { hostKubeconfigEnv } from "../../kubernetes/host-kubeconfig.ts";
import { openFront } from "./front.ts";
import type { HelmRun } from "./helm-run.ts";
import { recordsAtBroker, recordsInCluster, type ReleaseRecords } from "./release-records.ts";
import type { HelmCaller } from "./run-helm.ts";

/** What the parts of a helm job share. */
export type HelmContext = ClusterContext & {
  readonly run: HelmRun;
  readonly helm: HelmCaller;
  readonly records: ReleaseRecords;
  /** The key for digests of what is done. */
  readonly key: string;
};

/** The chart, in the form in which helm gets it. */
export type Chart = {
  readonly folder: string;
  /** The fetched revision, such as a commit or a digest; empty when it is unknown. */
  readonly revision: string;
  /** `-f` for each values file, in order. */
  readonly valuesArgs: readonly string[];
};

/** Opens the cluster and gives helm a home directory of its own. Throws JobFailure. */
export async function openHelmContext(job: Job, run: HelmRun): Promise<HelmContext> {
  const key = await diffKey(job, run.approved);
  const context = { ...(await openClusterContext(job, run.credentials)), run, key };
  const { workspace, owner } = job.directories;
  const names = ["helm-cache", "helm-config", "helm-data"];
  const [cache = "", config = "", own = ""] = names.map((name) => path.join(workspace, name));
  await makeJobFolders([cache, config, own], owner);
  const env = {
    // Helm uses the job's directories as its home; a pod's own cluster is found without a kubeconfig.
    ...hostKubeconfigEnv(job.agent.config.env),
    ...context.env,
    HELM_CACHE_HOME: cache,
    HELM_CONFIG_HOME: config,
    HELM_DATA_HOME: own,
    HELM_DRIVER: run.driver === "configmap" ? "configmap" : "secret",
    HELM_NAMESPACE: run.namespace,
    HELM_MAX_HISTORY: "10",
  };
  if (run.driver !== "broker") {
    const records = recordsInCluster(context.cluster, run);
    return { ...context, env, helm: { job, env }, records };
  }
  const token = tokenOf(job);
  const front = await openFront(job, { ...run, token }, env);
  const records = recordsAtBroker(job, token, run);
  return { ...context, env, helm: { job, env, front }, records };
}

function tokenOf({ token }: Job): string {
  if (token !== undefined) return token;
  const words =
    "The agent that claimed the job was killed before the job began, and the job's token is lost.";
  throw new JobFailure(words, { reason: "lost", class: "lost" });
}
