import type { Located } from "../kubernetes/cluster.ts";
import type { KubeObject } from "../kubernetes/kube-object.ts";

/** A Job in a cluster that is ours, known by its uid: another one may have its name by now. */
export type ClusterJob = {
  readonly at: Located;
  readonly uid: string;
  /** As it was when it was made or found. */
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

const mostLength = 63; // the names of its pods' labels are no longer

/** The same name for the same id: `prefix-01h8…` of `exe_01h8…`. */
export function clusterJobName(prefix: string, id: string): string {
  const own = id
    .replace(/^[a-z]+_/, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-");
  const start = prefix.slice(0, mostLength - own.length - 1).replace(/[-.]+$/, "");
  return `${start}-${own}`.slice(-mostLength);
}
