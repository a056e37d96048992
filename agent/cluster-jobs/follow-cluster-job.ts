import { formatDuration } from "../../shared/duration.ts";
import { pause } from "../client/pause.ts";
import type { Cluster } from "../kubernetes/cluster.ts";
import type { ClusterJob } from "./cluster-job.ts";
import type { JobLook } from "./judge-cluster-job.ts";
import type { JobFault, PodLook } from "./judge-pod.ts";
import { readClusterJob, type See, seeAlone } from "./read-cluster-job.ts";
import { patiently } from "./retry-while-unreachable.ts";

export type Following = {
  readonly signal: AbortSignal;
  /** How long it may wait for a running pod, at first and after each failed one. */
  readonly startWithinMs: number;
  /** Called with every observation, before anything is decided from it. */
  readonly onLook?: (look: JobLook) => void;
  /** How the Job is read; by requests of its own unless given. */
  readonly see?: See;
};

/** How a Job ended, or that it cannot succeed any more. */
export type FollowedEnd = {
  readonly is: "succeeded" | "failed" | "hopeless" | "stopped";
  readonly look: JobLook;
  readonly fault?: JobFault;
};

const firstPauseMs = 200;
const mostPauseMs = 2_000;
/** A state counts as hopeless after this many observations in a row: a pod passes through some of them. */
const hopelessLooks = 3;

/**
 * Watches a Job until it has ended, until it clearly cannot, or until the signal aborts. After `hopeless` the Job still
 * exists: the caller deletes it. Throws ApiRefusal, or JobFailure when the API does not answer for five minutes.
 */
export async function followClusterJob(
  cluster: Cluster,
  one: ClusterJob,
  { signal, startWithinMs, onLook, see = seeAlone(cluster) }: Following,
): Promise<FollowedEnd> {
  let waitsSinceMs = Date.now();
  let before: readonly PodLook[] = [];
  let bad = 0;
  for (let nth = 0; ; nth++) {
    const known = before;
    const look = await patiently(signal, () => readClusterJob({ cluster, see }, one, known));
    before = look.pods;
    onLook?.(look);
    if (look.phase === "succeeded") return { is: "succeeded", look };
    if (look.phase === "failed" || look.phase === "gone") return endOf("failed", look, look.fault);
    if (signal.aborted) return endOf("stopped", look, look.fault);
    bad = isHopeless(look) ? bad + 1 : 0;
    if (bad >= hopelessLooks) return endOf("hopeless", look, look.fault);
    if (!isToBegin(look)) waitsSinceMs = Date.now();
    if (Date.now() - waitsSinceMs >= startWithinMs) {
      return endOf("hopeless", look, tooLate(look.fault, startWithinMs));
    }
    await pause(Math.min(mostPauseMs, firstPauseMs * 1.5 ** nth), signal);
  }
}

/** No pod runs and none has just failed; the cluster's back-off before the next pod grows each time. */
function isToBegin({ phase, pods }: JobLook): boolean {
  if (phase !== "waiting") return false;
  return pods.length === 0 || pods.some((pod) => pod.phase === "Pending");
}

/** A running pod is judged after its end, as another container may still work. But a pod on a lost node never ends. */
function isHopeless({ phase, fault }: JobLook): boolean {
  if (fault?.isHopeless !== true) return false;
  return phase === "waiting" || fault.trouble === "node_lost";
}

function endOf(is: FollowedEnd["is"], look: JobLook, fault: JobFault | undefined): FollowedEnd {
  return { is, look, ...(fault !== undefined && { fault }) };
}

function tooLate(fault: JobFault | undefined, withinMs: number): JobFault {
  const after = `it did not start within ${formatDuration(withinMs * 1e6)}`;
  if (fault === undefined) return { trouble: "not_started", words: after, isHopeless: true };
  return { ...fault, words: `${after}: ${fault.words}`, isHopeless: true };
}
