import type { KubeObject } from "../kubernetes/kube-object.ts";
import { type JobFault, judgePod, type PodLook } from "./judge-pod.ts";

/** What is known of a Job at one moment. */
export type JobLook = {
  readonly phase: "gone" | "waiting" | "running" | "succeeded" | "failed";
  readonly pods: readonly PodLook[];
  /** Why it failed; else what keeps it from beginning, which may pass. */
  readonly fault?: JobFault;
  /** The cluster lets nobody of ours see pods. */
  readonly isBlind?: boolean;
};

type Condition = {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
};

/**
 * What a Job and its pods say of it. `before` are the pods of an earlier look: one that is gone since then tells no more
 * itself why it failed.
 */
export function judgeClusterJob(
  job: KubeObject | undefined,
  living: readonly KubeObject[],
  before: readonly PodLook[] = [],
): JobLook {
  const now = living.map(judgePod);
  const gone = before.filter(({ uid }) => !now.some((pod) => pod.uid === uid));
  const pods = [...gone.map(asGone), ...now].sort(byAge);
  // Who deletes a Job deletes its pods later, and these have their grace: until then they are at work.
  if (job === undefined && !now.some(({ phase }) => !hasEnded(phase))) {
    const fault = { trouble: "gone", words: "somebody deleted it", isHopeless: true } as const;
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
  // Its end is decided, and its pods are on their way out.
  const isEnding = (isTrue("FailureTarget") ?? isTrue("SuccessCriteriaMet")) !== undefined;
  const phase = begun === undefined && !isEnding ? "waiting" : "running";
  return { phase, pods, ...(fault !== undefined && { fault }) };
}

const hasEnded = (phase: PodLook["phase"]): boolean => phase === "Succeeded" || phase === "Failed";

/** The last one is the latest: names are by chance. */
function byAge(a: PodLook, b: PodLook): number {
  if (a.createdAt === b.createdAt) return a.name < b.name ? -1 : 1;
  return a.createdAt < b.createdAt ? -1 : 1;
}

/** A pod that had not ended when it was seen last. */
function asGone(pod: PodLook): PodLook {
  if (hasEnded(pod.phase)) return pod;
  const words = "it is gone: somebody deleted it, or its node went away";
  const fault = pod.fault ?? { trouble: "gone", words, isHopeless: true };
  return { ...pod, phase: "Unknown", fault };
}

/** The last pod that failed says why; without one, what the Job says of itself. */
function faultOf({ reason, message = "" }: Condition, pods: readonly PodLook[]): JobFault {
  if (reason === "DeadlineExceeded") {
    return { trouble: "deadline", words: "its own time limit was over", isHopeless: true };
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
