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
  /** So long it may wait for a pod that runs, at first and after each that failed. */
  readonly startWithinMs: number;
  /** Told of every look, before anything is concluded from it. */
  readonly onLook?: (look: JobLook) => void;
  /** How it is looked at, where not by requests of its own. */
  readonly see?: See;
};

/** How a Job came to its end, or that it cannot come to one. */
export type FollowedEnd = {
  readonly is: "succeeded" | "failed" | "hopeless" | "stopped";
  readonly look: JobLook;
  readonly fault?: JobFault;
};

const firstPauseMs = 200;
const mostPauseMs = 2_000;
/** A state is hopeless when it is seen so often in a row: a pod passes through some of them. */
const hopelessLooks = 3;

/**
 * Looks at a Job until it has ended, until it is plain that it cannot, or until the signal aborts. `hopeless` means that
 * it is still there: whoever gives it up deletes it. Throws ApiRefusal, or JobFailure when nobody answers
 * for five minutes.
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

/** No pod runs, and none has just failed: until the next one is made, the cluster waits longer each time. */
function isToBegin({ phase, pods }: JobLook): boolean {
  if (phase !== "waiting") return false;
  return pods.length === 0 || pods.some((pod) => pod.phase === "Pending");
}

/** What runs is judged when it has ended: another container may still be at work. But nobody ends a lost node's pod. */
function isHopeless({ phase, fault }: JobLook): boolean {
  if (fault?.isHopeless !== true) return false;
  return phase === "waiting" || fault.trouble === "node_lost";
}

function endOf(is: FollowedEnd["is"], look: JobLook, fault: JobFault | undefined): FollowedEnd {
  return { is, look, ...(fault !== undefined && { fault }) };
}

function tooLate(fault: JobFault | undefined, withinMs: number): JobFault {
  const after = `it did not begin within ${formatDuration(withinMs * 1e6)}`;
  if (fault === undefined) return { trouble: "not_started", words: after, isHopeless: true };
  return { ...fault, words: `${after}: ${fault.words}`, isHopeless: true };
}
