import type { KubeObject } from "../kubernetes/kube-object.ts";
import { type JobFault, judgePod, type PodLook } from "./judge-pod.ts";

/** The state of a Job at one moment. */
export type JobLook = {
  readonly phase: "gone" | "waiting" | "running" | "succeeded" | "failed";
  readonly pods: readonly PodLook[];
  /** Why it failed; before that, what keeps it from starting, which may pass. */
  readonly fault?: JobFault;
  /** The agent has no permission to list pods. */
  readonly isBlind?: boolean;
};

type Condition = {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
};

/**
 * Derives the state of a Job from the Job and its pods. `before` are the pods of an earlier observation: a pod that has
 * been deleted since cannot tell why it failed.
 */
export function judgeClusterJob(
  job: KubeObject | undefined,
  living: readonly KubeObject[],
  before: readonly PodLook[] = [],
): JobLook {
  const now = living.map(judgePod);
  const gone = before.filter(({ uid }) => !now.some((pod) => pod.uid === uid));
  const pods = [...gone.map(asGone), ...now].sort(byAge);
  // The pods of a deleted Job are deleted later and have their grace period: until then they run.
  if (job === undefined && !now.some(({ phase }) => !hasEnded(phase))) {
    const fault = { trouble: "gone", words: "someone deleted it", isHopeless: true } as const;
    return { phase: "gone", pods, fault };
  }
  const { conditions = [] } = (job?.["status"] ?? {}) as { readonly conditions?: Condition[] }; // Jobs have that form
  const isTrue = (wanted: string): Condition | undefined =>
    conditions.find(({ type, status }) => type === wanted && status === "True");
  if (isTrue("Complete") !== undefined) return { phase: "succeeded", pods };
  const begun = now.find(({ phase }) => phase === "Running");
  const failed = isTrue("Failed"); // older clusters say so before the pods have ended
  if (failed !== undefined && begun === undefined)
    return { phase: "failed", pods, fault: faultOf(failed, pods) };
  const held = now.find(({ phase, fault }) => phase === "Pending" && fault !== undefined)?.fault;
  const fault = begun?.fault ?? held;
  // Its end is decided and its pods are terminating.
  const isEnding = (isTrue("FailureTarget") ?? isTrue("SuccessCriteriaMet")) !== undefined;
  const phase = begun === undefined && !isEnding ? "waiting" : "running";
  return { phase, pods, ...(fault !== undefined && { fault }) };
}

const hasEnded = (phase: PodLook["phase"]): boolean => phase === "Succeeded" || phase === "Failed";

/** Sorted by time, newest last: the names of pods are random. */
function byAge(a: PodLook, b: PodLook): number {
  if (a.createdAt === b.createdAt) return a.name < b.name ? -1 : 1;
  return a.createdAt < b.createdAt ? -1 : 1;
}

/** A pod that had not ended when it was last seen. */
function asGone(pod: PodLook): PodLook {
  if (hasEnded(pod.phase)) return pod;
  const words = "it is gone: someone deleted it, or its node went away";
  const fault = pod.fault ?? { trouble: "gone", words, isHopeless: true };
  return { ...pod, phase: "Unknown", fault };
}

/** The reason of the last failed pod; without one, that of the Job. */
function faultOf({ reason, message = "" }: Condition, pods: readonly PodLook[]): JobFault {
  if (reason === "DeadlineExceeded") {
    return { trouble: "deadline", words: "its own time limit was exceeded", isHopeless: true };
  }
  const bad = pods.findLast(
    ({ fault, phase }) => fault?.isHopeless === true && phase !== "Running",
  );
  if (bad?.fault !== undefined) {
    return { ...bad.fault, words: `pod ${bad.name}: ${bad.fault.words}` };
  }
  const said = message === "" ? (reason ?? "it failed") : message.replace(/\.$/, "");
  const isDisrupted = reason === "PodFailurePolicy" && message.includes("DisruptionTarget");
  return { trouble: isDisrupted ? "disrupted" : "job_failed", words: said, isHopeless: true };
}
