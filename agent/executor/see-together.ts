import { pause } from "../client/pause.ts";
import { type ClusterJob, jobAt } from "../cluster-jobs/cluster-job.ts";
import { listPods, podLabelsOf, type See, type Seen } from "../cluster-jobs/read-cluster-job.ts";
import type { KubeObject } from "../kubernetes/kube-object.ts";
import type { OwnCluster } from "./own-cluster.ts";
import { marks } from "./pod-job-info.ts";

const everyMs = 1_000;
/** Limits the length of the request's URL, which contains their names. */
const mostAtOnce = 100;

type Asking = {
  readonly one: ClusterJob;
  readonly resolve: (seen: Seen) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Reads Jobs of this agent and their pods for all callers with at most one list of pods and one of Jobs a second,
 * however many there are. Each list is requested after its callers asked, for a hundred Jobs at most; the others
 * follow a second later. When `left` aborts, nobody waits any more.
 */
export function seeTogether(own: OwnCluster, left: AbortSignal): See {
  let asking: Asking[] = [];
  let isLooking = false;
  const look = async (): Promise<void> => {
    isLooking = true;
    while (asking.length > 0) {
      const now = asking.slice(0, mostAtOnce);
      asking = asking.slice(mostAtOnce);
      const next = pause(everyMs, left);
      await tell(own, now);
      await next;
    }
    isLooking = false;
  };
  return async (one) => {
    const { promise, resolve, reject } = Promise.withResolvers<Seen>();
    asking.push({ one, resolve, reject });
    if (!isLooking) void look();
    return await promise;
  };
}

async function tell(own: OwnCluster, asking: readonly Asking[]): Promise<void> {
  try {
    const { jobs, pods } = await listOf(own, asking);
    for (const { one, resolve } of asking) {
      const listed = jobs.find(({ metadata }) => metadata.name === one.at.ref.name);
      // Its label may have been removed: only a Job that is not found by its name is gone.
      const job = listed ?? (await own.cluster.get(one.at));
      resolve({ job, pods: pods?.filter((pod) => isPodOf(pod, one)) });
    }
  } catch (error) {
    for (const { reject } of asking) reject(error);
  }
}

type Lists = { readonly jobs: readonly KubeObject[]; readonly pods: KubeObject[] | undefined };

async function listOf(
  { cluster, namespace }: OwnCluster,
  asking: readonly Asking[],
): Promise<Lists> {
  const ids = asking.map(({ one }) => one.object.metadata.labels?.[marks.execution] ?? "");
  const query = { labelSelector: `${marks.execution} in (${[...new Set(ids)].join(",")})` };
  // Pods first, so that the Job's state is never older than that of its pods.
  const pods = await listPods(cluster, namespace, query);
  return { pods, jobs: await cluster.list(jobAt(namespace, "").resource, namespace, query) };
}

function isPodOf({ metadata: { labels = {} } }: KubeObject, one: ClusterJob): boolean {
  return Object.entries(podLabelsOf(one)).every(([name, value]) => labels[name] === value);
}
