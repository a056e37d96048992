import type { KubeObject } from "../kubernetes/kube-object.ts";

/** What is wrong with a Job in the cluster, as a code for programs. */
export type JobTrouble =
  | "image_pull"
  | "container_config"
  | "unschedulable"
  | "oom"
  | "evicted"
  | "node_lost"
  | "disrupted"
  | "exit_code"
  | "deadline"
  | "quota"
  | "forbidden"
  | "refused"
  | "not_started"
  | "job_failed"
  | "gone";

/** Why a Job has failed, or what keeps it from starting. */
export type JobFault = {
  readonly trouble: JobTrouble;
  /** Not a full sentence: "container main: ImagePullBackOff (…)". */
  readonly words: string;
  /** Waiting does not help once this has been observed a few times in a row. */
  readonly isHopeless: boolean;
  readonly exitCode?: number;
};

/** The state of one container of a pod. */
export type ContainerLook = {
  readonly name: string;
  /** It runs or has run, so it may have a log. */
  readonly hasBegun: boolean;
  readonly hasEnded: boolean;
  readonly exitCode?: number;
  readonly startedAt?: string;
  readonly finishedAt?: string;
};

/** The state of one pod of a Job. */
export type PodLook = {
  readonly name: string;
  readonly uid: string;
  readonly createdAt: string;
  readonly node: string;
  readonly phase: "Pending" | "Running" | "Succeeded" | "Failed" | "Unknown";
  readonly containers: readonly ContainerLook[];
  readonly fault?: JobFault;
};

type Terminated = {
  readonly exitCode?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly startedAt?: string;
  readonly finishedAt?: string;
};
type Waiting = { readonly reason?: string; readonly message?: string };
type ContainerStatus = {
  readonly name: string;
  readonly state?: {
    readonly waiting?: Waiting;
    readonly running?: { readonly startedAt?: string };
    readonly terminated?: Terminated;
  };
};
type Condition = {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
};
type PodStatus = {
  readonly phase?: PodLook["phase"];
  readonly reason?: string;
  readonly message?: string;
  readonly conditions?: readonly Condition[];
  readonly initContainerStatuses?: readonly ContainerStatus[];
  readonly containerStatuses?: readonly ContainerStatus[];
};

/** Reads the state of a pod, and infers what its own status does not say. */
export function judgePod(pod: KubeObject): PodLook {
  const status = (pod["status"] ?? {}) as PodStatus; // pods have that form
  const { nodeName = "" } = (pod["spec"] ?? {}) as { readonly nodeName?: string };
  const statuses = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  const fault =
    status.phase === "Succeeded"
      ? undefined
      : (killed(status) ??
        firstOf(statuses, ended) ??
        lost(status, pod.metadata.deletionTimestamp) ??
        held(status, statuses));
  return {
    name: pod.metadata.name,
    uid: pod.metadata.uid ?? "",
    createdAt: pod.metadata.creationTimestamp ?? "",
    node: nodeName,
    phase: status.phase ?? "Pending",
    containers: statuses.map(containerLook),
    ...(fault !== undefined && { fault }),
  };
}

function containerLook({ name, state }: ContainerStatus): ContainerLook {
  const { running, terminated } = state ?? {};
  const startedAt = terminated?.startedAt ?? running?.startedAt;
  return {
    name,
    hasBegun: running !== undefined || terminated !== undefined,
    hasEnded: terminated !== undefined,
    ...(terminated?.exitCode !== undefined && { exitCode: terminated.exitCode }),
    ...(startedAt && { startedAt }),
    ...(terminated?.finishedAt && { finishedAt: terminated.finishedAt }),
  };
}

/** The pod's own reason comes before the resulting states of its containers. */
function killed({ phase, reason = "", message, conditions = [] }: PodStatus): JobFault | undefined {
  const because = message ? `: ${message}` : "";
  if (reason === "Evicted") return fatal("evicted", `it was evicted${because}`);
  if (reason === "NodeLost") return fatal("node_lost", `its node was lost${because}`);
  if (reason === "DeadlineExceeded") return fatal("deadline", "its time limit was exceeded");
  const disruption = conditions.find(
    ({ type, status }) => type === "DisruptionTarget" && status === "True",
  );
  if (disruption !== undefined && phase !== "Running") return disrupted(disruption, because);
  if (phase === "Failed" && refusedByNode.test(reason)) {
    return fatal("unschedulable", `its node refused it (${reason})${because}`);
  }
  return undefined;
}

const refusedByNode = /^(?:OutOf\w+|Node(?:Affinity|Ports|Name)\w*|UnexpectedAdmissionError)$/;

function disrupted({ reason = "", message = "" }: Condition, because: string): JobFault {
  const why = `(${reason})${message === "" ? because : `: ${message}`}`;
  if (reason === "DeletionByTaintManager" || reason === "DeletionByPodGC") {
    return fatal("node_lost", `its node was lost ${why}`);
  }
  if (reason === "EvictionByEvictionAPI") return fatal("evicted", `it was evicted ${why}`);
  if (reason === "PreemptionByScheduler")
    return fatal("disrupted", `another pod preempted it ${why}`);
  return fatal("disrupted", `its node ended it ${why}`);
}

/** It failed by itself, or was killed because memory ran out. */
function ended({ name, state }: ContainerStatus): JobFault | undefined {
  const { exitCode = 0, reason = "", message } = state?.terminated ?? {};
  if (exitCode === 0) return undefined;
  if (reason === "OOMKilled") {
    const words = `container ${name} was killed because it ran out of memory (OOMKilled)`;
    return fatal("oom", words, exitCode);
  }
  const because = message ? `: ${message.trim().slice(0, mostMessage)}` : "";
  if (/^(?:StartError|ContainerCannotRun)$/.test(reason)) {
    return fatal("container_config", `container ${name} cannot be started${because}`, exitCode);
  }
  const signal = exitCode === 137 ? " (SIGKILL, possibly because memory ran out)" : "";
  return fatal(
    "exit_code",
    `container ${name} ended with code ${exitCode}${signal}${because}`,
    exitCode,
  );
}

/** A pod that has not ended this long after its grace is on a node that no longer reports; the margin covers clock skew. */
const lostAfterMs = 120_000;

function lost(
  { phase, reason, message }: PodStatus,
  goneBy: string | undefined,
): JobFault | undefined {
  if (phase === "Running" && goneBy !== undefined && Date.now() - Date.parse(goneBy) > lostAfterMs)
    return fatal("node_lost", "it should have ended, but its node does not report that");
  if (phase === "Unknown") {
    return { trouble: "node_lost", words: "its node does not answer", isHopeless: false };
  }
  if (phase !== "Failed") return undefined;
  const words = [reason, message].filter(Boolean).join(": ") || "it failed without a reason";
  return fatal("disrupted", words);
}

/** What keeps the pod from starting. */
function held(
  { phase, conditions = [] }: PodStatus,
  statuses: readonly ContainerStatus[],
): JobFault | undefined {
  const waiting = firstOf(statuses, heldBack);
  if (waiting !== undefined || phase === "Running") return waiting;
  const unscheduled = conditions.find(
    ({ type, status }) => type === "PodScheduled" && status === "False",
  );
  if (unscheduled === undefined) return undefined;
  const { reason, message = "" } = unscheduled;
  const isGated = reason === "SchedulingGated";
  if (isGated) return soft("not_started", `its scheduling is gated: ${message}`);
  return soft("unschedulable", `it fits on no node: ${message}`);
}

const usual = ["", "ContainerCreating", "PodInitializing"];
const ofImage = /Image|Registry|SignatureValidation/;
const ofConfig = ["CreateContainerConfigError", "CreateContainerError", "RunContainerError"];
/** One failed pull is retried; a back-off means that pulls have failed before. */
const hopeless = [
  "ImagePullBackOff",
  "InvalidImageName",
  "ErrImageNeverPull",
  "CreateContainerConfigError",
  "CreateContainerError",
];

function heldBack({ name, state }: ContainerStatus): JobFault | undefined {
  const { reason = "", message } = state?.waiting ?? {};
  if (usual.includes(reason)) return undefined;
  const because = message ? ` (${message.trim().slice(0, mostMessage)})` : "";
  const trouble = ofImage.test(reason)
    ? "image_pull"
    : ofConfig.includes(reason)
      ? "container_config"
      : "not_started";
  const words = `container ${name}: ${reason}${because}`;
  return { trouble, words, isHopeless: hopeless.includes(reason) };
}

const mostMessage = 600;

const soft = (trouble: JobTrouble, words: string): JobFault => {
  return { trouble, words, isHopeless: false };
};

const fatal = (trouble: JobTrouble, words: string, exitCode?: number): JobFault => ({
  trouble,
  words,
  isHopeless: true,
  ...(exitCode !== undefined && { exitCode }),
});

function firstOf(
  statuses: readonly ContainerStatus[],
  judge: (status: ContainerStatus) => JobFault | undefined,
): JobFault | undefined {
  for (const status of statuses) {
    const fault = judge(status);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
