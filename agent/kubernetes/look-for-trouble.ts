import type { Cluster, Located } from "./cluster.ts";
import type { KubeObject } from "./kube-object.ts";
import { type FirstRestarts, type PodTrouble, podTroubles } from "./pod-trouble.ts";

/** Everything that is known to be wrong with an object and its pods. */
export type Trouble = {
  readonly words: readonly string[];
  /** The first problem that does not pass by itself. */
  readonly hopeless: string | undefined;
  readonly pods: readonly PodInTrouble[];
};
export type PodInTrouble = { readonly pod: KubeObject; readonly troubles: readonly PodTrouble[] };

/** Kinds whose objects have pods, or are pods. */
export const podOwners = ["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "Pod"];

/** What earlier checks found about pods. */
export type PodsKnown = {
  /** The uids of pods to ignore. */
  readonly passed?: ReadonlySet<string>;
  readonly first: FirstRestarts;
};

/**
 * Checks an object's status and its pods. A job that may not list pods sees none. Crashes count as final only when the
 * caller passes the same `known` again.
 */
export async function lookForTrouble(
  cluster: Cluster,
  { ref }: Located,
  object: KubeObject,
  { passed, first }: PodsKnown = { first: new Map() },
): Promise<Trouble> {
  const own = ownTrouble(object);
  const found = podOwners.includes(ref.kind) ? await podsOf(cluster, object) : [];
  const pods = found.filter(({ metadata }) => passed?.has(metadata.uid ?? "") !== true);
  const inTrouble = pods
    .map((pod) => ({ pod, troubles: podTroubles(pod, first) }))
    .filter(({ troubles }) => troubles.length > 0);
  const said = inTrouble.flatMap(({ pod, troubles }) =>
    troubles.map(({ words }) => `pod ${pod.metadata.name}: ${words}`),
  );
  const hopelessPod = inTrouble
    .flatMap(({ pod, troubles }) =>
      troubles.map((trouble) => ({ ...trouble, name: pod.metadata.name })),
    )
    .find(({ isHopeless }) => isHopeless);
  return {
    words: [...own, ...said, ...pods.flatMap(unschedulable)],
    hopeless: own[0] ?? (hopelessPod && `pod ${hopelessPod.name}: ${hopelessPod.words}`),
    pods: inTrouble,
  };
}

type Conditioned = {
  /** Null for a CustomResourceDefinition that was just created. */
  readonly conditions?:
    | readonly {
        readonly type: string;
        readonly status: string;
        readonly reason?: string;
        readonly message?: string;
      }[]
    | null;
};

/** No pod can be created: over a quota, forbidden, invalid. */
function ownTrouble(object: KubeObject): string[] {
  const { conditions } = (object["status"] ?? {}) as Conditioned;
  return (conditions ?? [])
    .filter(({ type, status }) => type === "ReplicaFailure" && status === "True")
    .map(({ reason, message }) => `${reason ?? "FailedCreate"}: ${message ?? ""}`);
}

function unschedulable(pod: KubeObject): string[] {
  const { conditions } = (pod["status"] ?? {}) as Conditioned;
  return (conditions ?? [])
    .filter(({ reason, status }) => reason === "Unschedulable" && status === "False")
    .map(({ message }) => `pod ${pod.metadata.name} fits on no node: ${message ?? ""}`);
}

type Selecting = {
  readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
};

async function podsOf(cluster: Cluster, object: KubeObject): Promise<KubeObject[]> {
  if (object.kind === "Pod") return [object];
  const { selector } = (object["spec"] ?? {}) as Selecting;
  const labels = Object.entries(selector?.matchLabels ?? {});
  const pods = await cluster.discovery.find("v1", "Pod");
  if (pods === undefined || labels.length === 0) return [];
  const labelSelector = labels.map(([name, value]) => `${name}=${value}`).join(",");
  const found = await cluster
    .list(pods, object.metadata.namespace ?? "", { labelSelector, limit: "50" })
    .catch(() => []);
  // Pods of an older rollout are being removed.
  return found.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}
