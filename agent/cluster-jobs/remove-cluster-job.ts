import { pause } from "../client/pause.ts";
import { isRefusal } from "../kubernetes/api-refusal.ts";
import type { Cluster } from "../kubernetes/cluster.ts";
import { type KubeObject, refWords } from "../kubernetes/kube-object.ts";
import type { ClusterJob } from "./cluster-job.ts";
import { podsOfJob } from "./read-cluster-job.ts";

export type Removing = {
  /** How long to wait until nothing of it is left. */
  readonly withinMs: number;
  /** Aborts the wait. */
  readonly signal: AbortSignal;
};

/**
 * Deletes a Job after its pods and waits until they are gone. Answers in words what still exists when the time is
 * over; nothing when all is gone. Throws ApiRefusal, or JobFailure when the API does not answer.
 */
export async function removeClusterJob(
  cluster: Cluster,
  one: ClusterJob,
  { withinMs, signal }: Removing,
): Promise<string[]> {
  await tellToGo(cluster, one);
  const endsAtMs = Date.now() + withinMs;
  for (let nth = 0; ; nth++) {
    const left = await leftOf(cluster, one);
    if (left.length === 0 || signal.aborted || Date.now() >= endsAtMs) return left;
    await pause(Math.min(2_000, 100 * 1.5 ** nth), signal);
  }
}

async function tellToGo(cluster: Cluster, { at, uid }: ClusterJob): Promise<void> {
  const live = await cluster.get(at);
  if (live?.metadata.uid !== uid || live.metadata.deletionTimestamp !== undefined) return;
  try {
    await cluster.remove(at, uid);
  } catch (error) {
    // Another Job has this name by now.
    if (!isRefusal(error, 409)) throw error;
  }
}

async function leftOf(cluster: Cluster, one: ClusterJob): Promise<string[]> {
  const pods = (await podsOfJob(cluster, one)) ?? [];
  const live = await cluster.get(one.at);
  const job = live?.metadata.uid === one.uid ? [leftWords("Job", live)] : [];
  return [...job, ...pods.map((pod) => leftWords("Pod", pod))];
}

function leftWords(kind: string, { metadata }: KubeObject): string {
  const { finalizers = [], namespace = "", name } = metadata;
  const held = finalizers.length === 0 ? "" : ` (finalizers: ${finalizers.join(", ")})`;
  return `${refWords({ apiVersion: "", kind, namespace, name })}${held}`;
}
