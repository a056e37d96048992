import { ApiRefusal } from "../kubernetes/api-refusal.ts";
import type { Cluster } from "../kubernetes/cluster.ts";
import type { KubeObject } from "../kubernetes/kube-object.ts";
import { type ClusterJob, pods } from "./cluster-job.ts";
import { type JobLook, judgeClusterJob } from "./judge-cluster-job.ts";
import type { JobFault, PodLook } from "./judge-pod.ts";
import { judgeUnmade } from "./judge-unmade.ts";

const mostPods = "50";

/** A Job and its pods as the cluster has them; without pods when the agent may not list them. */
export type Seen = {
  readonly job: KubeObject | undefined;
  readonly pods: readonly KubeObject[] | undefined;
};
/** How Jobs and pods are read. */
export type See = (one: ClusterJob) => Promise<Seen>;

/** Reads each Job by requests of its own. */
export const seeAlone =
  (cluster: Cluster): See =>
  async (one) => {
    // Pods first, so that the Job's state is never older than that of its pods.
    const listed = await podsOfJob(cluster, one);
    return { pods: listed, job: await cluster.get(one.at) };
  };

/**
 * Reads the state of a Job and its pods, and its events while nothing has started. Without permission to list pods or
 * events it sees none, and says so of pods. Throws ApiRefusal, or JobFailure when the API does not answer.
 */
export async function readClusterJob(
  { cluster, see }: { readonly cluster: Cluster; readonly see: See },
  one: ClusterJob,
  before: readonly PodLook[] = [],
): Promise<JobLook> {
  const { job: found, pods: listed } = await see(one);
  const living = listed ?? [];
  const job = found?.metadata.uid === one.uid ? found : undefined;
  const judged = judgeClusterJob(job, living, before);
  const isUnmade = judged.phase === "waiting" && judged.pods.length === 0;
  const fault = isUnmade ? await notMade(cluster, one) : undefined;
  const look = fault === undefined ? judged : { ...judged, fault };
  return listed === undefined ? blind(look) : look;
}

/** Pods that cannot be listed are assumed to run, unless an event says that none could be created. */
function blind(look: JobLook): JobLook {
  const isTrusted = look.phase === "waiting" && look.fault === undefined;
  return { ...look, isBlind: true, ...(isTrusted && { phase: "running" }) };
}

/** The pods of this Job, not of another one of its name; undefined without permission to list pods. */
export async function podsOfJob(
  cluster: Cluster,
  { at, uid, object }: ClusterJob,
): Promise<KubeObject[] | undefined> {
  const labels = Object.entries(podLabelsOf({ uid, object }));
  const labelSelector = labels.map(([name, value]) => `${name}=${value}`).join(",");
  return await listPods(cluster, at.ref.namespace, { labelSelector, limit: mostPods });
}

/** Pods by a query; undefined without permission to list pods. */
export async function listPods(
  cluster: Cluster,
  namespace: string,
  query: Readonly<Record<string, string>>,
): Promise<KubeObject[] | undefined> {
  try {
    return await cluster.list(pods, namespace, query);
  } catch (error) {
    if (error instanceof ApiRefusal && error.status === 403) return undefined;
    throw error;
  }
}

/** The labels that identify the pods of a Job. */
export function podLabelsOf({
  uid,
  object,
}: Pick<ClusterJob, "uid" | "object">): Readonly<Record<string, string>> {
  const { selector } = object["spec"] as Selecting; // a Job has one
  return selector?.matchLabels ?? { "controller-uid": uid };
}

type Selecting = {
  readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
};

const events = { apiVersion: "v1", kind: "Event", plural: "events", isNamespaced: true } as const;

/** Why no pod could be created, from the events of the cluster's controllers. */
async function notMade(cluster: Cluster, { at, uid }: ClusterJob): Promise<JobFault | undefined> {
  const fieldSelector = `involvedObject.uid=${uid},reason=FailedCreate`;
  const found = await cluster
    .list(events, at.ref.namespace, { fieldSelector, limit: mostPods })
    .catch(() => []);
  return judgeUnmade(found);
}
