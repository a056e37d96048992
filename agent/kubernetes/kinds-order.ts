import { groupOf, type ObjectRef } from "./kube-object.ts";

/** Kinds in the order in which they are applied: what others need comes first. */
const first: readonly (readonly string[])[] = [
  ["Namespace"],
  ["CustomResourceDefinition"],
  ["ResourceQuota", "LimitRange", "PriorityClass", "RuntimeClass", "StorageClass", "IngressClass"],
  ["NetworkPolicy", "PodDisruptionBudget", "ServiceAccount"],
  ["ClusterRole", "Role"],
  ["ClusterRoleBinding", "RoleBinding"],
  ["Secret", "ConfigMap", "PersistentVolume", "PersistentVolumeClaim"],
  ["Service", "Endpoints", "EndpointSlice"],
  ["DaemonSet", "Pod", "ReplicationController", "ReplicaSet", "Deployment", "StatefulSet"],
  ["Job", "CronJob", "HorizontalPodAutoscaler", "Ingress"],
];
/** Whoever may say no to others is there when the others are. */
const last = [
  "APIService",
  "ValidatingWebhookConfiguration",
  "MutatingWebhookConfiguration",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionPolicyBinding",
];

/** Of builtin kinds only: somebody's own Service comes with what the cluster does not know by itself. */
const builtin = /^$|^(?:apps|batch|autoscaling|policy)$|\.k8s\.io$/;

/** Where a kind stands in the order; those of equal rank need not wait for each other. */
export function rankOf({ apiVersion, kind }: Pick<ObjectRef, "apiVersion" | "kind">): number {
  const isBuiltin = builtin.test(groupOf(apiVersion));
  if (isBuiltin && last.includes(kind)) return first.length + 1;
  const rank = isBuiltin ? first.findIndex((kinds) => kinds.includes(kind)) : -1;
  return rank === -1 ? first.length : rank;
}

/** Things in groups of equal rank, each group after the one before; the order within stays. */
export function inOrder<T>(things: readonly T[], ref: (thing: T) => ObjectRef): T[][] {
  const groups = Map.groupBy(things, (thing) => rankOf(ref(thing)));
  return [...groups.keys()].sort((a, b) => a - b).map((rank) => groups.get(rank) ?? []);
}

const holding = ["Namespace", "CustomResourceDefinition", "PersistentVolumeClaim"];

/** Whether more goes with an object than itself: what is in a namespace, of a kind, on a disk. */
export function holdsOthers({ apiVersion, kind }: Pick<ObjectRef, "apiVersion" | "kind">): boolean {
  return builtin.test(groupOf(apiVersion)) && holding.includes(kind);
}
