import type { KubeObject } from "./kube-object.ts";

/** Why a pod is not ready, and whether that can pass by itself. */
export type PodTrouble = {
  readonly container: string;
  readonly words: string;
  readonly isHopeless: boolean;
  /** It ran and has ended: its last output says why. */
  readonly hasEnded: boolean;
};

type ContainerStatus = {
  readonly name: string;
  readonly ready?: boolean;
  readonly restartCount?: number;
  readonly state?: {
    readonly running?: object;
    readonly waiting?: { readonly reason?: string; readonly message?: string };
    readonly terminated?: Terminated;
  };
  readonly lastState?: { readonly terminated?: Terminated };
};
type Terminated = { readonly reason?: string; readonly exitCode?: number };

/**
 * How often a container may crash before it counts as failed: with the back-off in between, after more than two
 * minutes.
 */
const mostCrashes = 5;
/** The restart counts of containers when they were first seen, by `UID/NAME`. */
export type FirstRestarts = Map<string, number>;

const hopelessReasons = [
  "ImagePullBackOff",
  "InvalidImageName",
  "ErrImageNeverPull",
  "CreateContainerConfigError",
];

/**
 * The problems of a pod's containers that are not ready. Crashes count from the first time that `first` has seen a
 * container; new ones are added to it.
 */
export function podTroubles(pod: KubeObject, first: FirstRestarts): PodTrouble[] {
  const status = (pod["status"] ?? {}) as Readonly<Record<string, unknown>>; // pods have that form
  const statuses = ["initContainerStatuses", "containerStatuses"].flatMap(
    (list) => (status[list] ?? []) as ContainerStatus[],
  );
  return statuses.flatMap((container) => {
    const { name, restartCount = 0 } = container;
    const key = `${pod.metadata.uid}/${name}`;
    const before = first.get(key) ?? restartCount;
    first.set(key, before);
    return troubleOf(container, restartCount - before) ?? [];
  });
}

function troubleOf(
  { name, ready, restartCount = 0, state, lastState }: ContainerStatus,
  crashes: number,
): PodTrouble | undefined {
  const waiting = state?.waiting;
  const ended = state?.terminated ?? lastState?.terminated;
  const about = { container: name, hasEnded: ended !== undefined };
  if (waiting?.reason === "CrashLoopBackOff") {
    const how = ended === undefined ? "" : `, the last time ${endWords(ended)}`;
    const words = `container ${name} crashed ${restartCount} times${how}`;
    return { ...about, words, isHopeless: crashes >= mostCrashes };
  }
  if (waiting?.reason !== undefined && waiting.reason !== "ContainerCreating") {
    if (waiting.reason === "PodInitializing") return undefined;
    const message = waiting.message === undefined ? "" : ` (${waiting.message})`;
    const isHopeless = hopelessReasons.includes(waiting.reason);
    return { ...about, words: `container ${name}: ${waiting.reason}${message}`, isHopeless };
  }
  if (state?.running !== undefined) {
    if (ready !== false) return undefined;
    const words = `container ${name} runs and is not ready`;
    return { ...about, hasEnded: false, words, isHopeless: false };
  }
  const code = state?.terminated?.exitCode ?? 0;
  if (code === 0 || state?.terminated === undefined) return undefined;
  const words = `container ${name} ended ${endWords(state.terminated)}`;
  return { ...about, words, isHopeless: false };
}

function endWords({ reason, exitCode }: Terminated): string {
  return reason === "OOMKilled"
    ? "because it ran out of memory (OOMKilled)"
    : `with code ${exitCode ?? "?"}`;
}
