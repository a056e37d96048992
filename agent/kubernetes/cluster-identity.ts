import { isRefusal } from "./api-refusal.ts";
import type { Approved } from "./approved.ts";
import type { Cluster } from "./cluster.ts";
import { deployFailure } from "./deploy-failure.ts";

/** Identifies a cluster: by its address, and by an object that exists as long as the cluster. */
export type ClusterIdentity = {
  readonly server: string;
  /** The uid of the namespace kube-system; absent if the job may not read it. */
  readonly uid?: string | undefined;
};

const kubeSystem = {
  ref: { apiVersion: "v1", kind: "Namespace", namespace: "", name: "kube-system" },
  resource: { apiVersion: "v1", kind: "Namespace", plural: "namespaces", isNamespaced: false },
} as const;

/** Reads the identity of a cluster. Throws ApiRefusal, or JobFailure when it does not answer. */
export async function identifyCluster(cluster: Cluster): Promise<ClusterIdentity> {
  const { server } = cluster;
  try {
    const uid = (await cluster.get(kubeSystem))?.metadata.uid;
    return { server, ...(uid !== undefined && { uid }) };
  } catch (error) {
    if (isRefusal(error, 403)) return { server };
    throw error;
  }
}

/** Throws JobFailure (`plan_stale`) when a plan was approved for another cluster. */
export function expectCluster({ key, cluster: meant }: Approved, is: ClusterIdentity): void {
  if (key === undefined || meant === undefined) {
    throw deployFailure(
      "The approved plan was made by an earlier version of the agent and does not say for which cluster. Make a new plan.",
      "plan_stale",
    );
  }
  if (meant.server !== is.server) {
    throw deployFailure(
      `The plan was approved for the cluster at ${meant.server}, and this is ${is.server}. Make a new plan.`,
      "plan_stale",
    );
  }
  if (meant.uid !== undefined && is.uid !== undefined && meant.uid !== is.uid) {
    throw deployFailure(
      `The plan was approved for another cluster: at ${is.server} there was one whose kube-system has the uid ${meant.uid}, and now it has ${is.uid}. Make a new plan.`,
      "plan_stale",
    );
  }
}
