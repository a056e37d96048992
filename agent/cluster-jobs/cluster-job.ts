import type { Located } from "../kubernetes/cluster.ts";
import type { KubeObject } from "../kubernetes/kube-object.ts";

/** A Job in a cluster that the agent made. The uid identifies it: its name may have been reused. */
export type ClusterJob = {
  readonly at: Located;
  readonly uid: string;
  /** The object as it was when it was created or found. */
  readonly object: KubeObject;
};

/** Where the Job of this name is. */
export function jobAt(namespace: string, name: string): Located {
  return {
    ref: { apiVersion: "batch/v1", kind: "Job", namespace, name },
    resource: { apiVersion: "batch/v1", kind: "Job", plural: "jobs", isNamespaced: true },
  };
}

/** Where the Secret of this name is. */
export function secretAt(namespace: string, name: string): Located {
  return {
    ref: { apiVersion: "v1", kind: "Secret", namespace, name },
    resource: { apiVersion: "v1", kind: "Secret", plural: "secrets", isNamespaced: true },
  };
}

export const pods = { apiVersion: "v1", kind: "Pod", plural: "pods", isNamespaced: true } as const;

const mostLength = 63; // the name becomes a label value of its pods

/** The same name for the same id: `prefix-01h8…` of `exe_01h8…`. */
export function clusterJobName(prefix: string, id: string): string {
  const own = id
    .replace(/^[a-z]+_/, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-");
  const start = prefix.slice(0, mostLength - own.length - 1).replace(/[-.]+$/, "");
  return `${start}-${own}`.slice(-mostLength);
}
