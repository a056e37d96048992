import { groupOf, type ObjectRef } from "./kube-object.ts";

/** Kinds in the order in which they are applied: dependencies first. */
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
/** Admission webhooks come last, so that they do not refuse the objects before them. */
const last = [
  "APIService",
  "ValidatingWebhookConfiguration",
  "MutatingWebhookConfiguration",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionPolicyBinding",
];

/** Only builtin kinds: a custom kind named Service is ordered with other custom resources. */
const builtin = /^$|^(?:apps|batch|autoscaling|policy)$|\.k8s\.io$/;

/** The rank of a kind; objects of equal rank need not wait for each other. */
export function rankOf({ apiVersion, kind }: Pick<ObjectRef, "apiVersion" | "kind">): number {
  const isBuiltin = builtin.test(groupOf(apiVersion));
  if (isBuiltin && last.includes(kind)) return first.length + 1;
  const rank = isBuiltin ? first.findIndex((kinds) => kinds.includes(kind)) : -1;
  return rank === -1 ? first.length : rank;
}

/** Groups items by rank, in ascending order; the order within a group stays. */
export function inOrder<T>(things: readonly T[], ref: (thing: T) => ObjectRef): T[][] {
  const groups = Map.groupBy(things, (thing) => rankOf(ref(thing)));
  return [...groups.keys()].sort((a, b) => a - b).map((rank) => groups.get(rank) ?? []);
}

const holding = ["Namespace", "CustomResourceDefinition", "PersistentVolumeClaim"];

/** Whether deleting an object also deletes others: those in a namespace, of a kind, on a disk. */
export function holdsOthers({ apiVersion, kind }: Pick<ObjectRef, "apiVersion" | "kind">): boolean {
  return builtin.test(groupOf(apiVersion)) && holding.includes(kind);
}
