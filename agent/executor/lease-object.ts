import { isRefusal } from "../kubernetes/api-refusal.ts";
import type { Located } from "../kubernetes/cluster.ts";
import { objectPath } from "../kubernetes/discovery.ts";
import type { KubeObject } from "../kubernetes/kube-object.ts";
import type { OwnCluster } from "./own-cluster.ts";

const group = { apiVersion: "coordination.k8s.io/v1", kind: "Lease" } as const;

/** Where the Lease of this name is. */
export function leaseAt(namespace: string, name: string): Located {
  return {
    ref: { ...group, namespace, name },
    resource: { ...group, plural: "leases", isNamespaced: true },
  };
}

type Spec = {
  readonly holderIdentity?: string | null;
  readonly leaseDurationSeconds?: number | null;
};

/** What a Lease says. */
export function readLease(live: KubeObject) {
  const { holderIdentity, leaseDurationSeconds } = (live["spec"] ?? {}) as Spec; // Leases have that form
  return {
    holder: holderIdentity ?? "",
    livesS: leaseDurationSeconds ?? 0,
    version: String(live.metadata["resourceVersion"]),
  };
}

/** Makes the Lease; false where there is one by now. */
export async function makeLease(
  { cluster, namespace }: OwnCluster,
  at: Located,
  spec: { readonly holderIdentity: string; readonly leaseDurationSeconds: number },
): Promise<boolean> {
  const labels = { "app.kubernetes.io/managed-by": "svc-agent" };
  const metadata = { name: at.ref.name, namespace, labels };
  try {
    await cluster.create(at, { ...group, metadata, spec: { ...spec, renewTime: nowMicro() } });
    return true;
  } catch (error) {
    if (isRefusal(error, 409)) return false;
    throw error;
  }
}

type Step = { readonly op: "test" | "add" | "remove"; readonly path: string; value?: unknown };

/** A renewal that takes longer is none: the next one may find another way there. */
const timeoutMs = 10_000;

/** Changes the Lease where all is as the tests among the steps say; false where it is not, or there is none. */
export async function changeLease(
  { api }: OwnCluster,
  { resource, ref }: Located,
  body: readonly Step[],
): Promise<boolean> {
  const contentType = "application/json-patch+json";
  try {
    const path = objectPath(resource, ref);
    await api.text({ method: "PATCH", path, contentType, body, timeoutMs });
    return true;
  } catch (error) {
    if (isRefusal(error, 422) || isRefusal(error, 404)) return false;
    throw error;
  }
}

/** Nobody but this holder has it. */
export const isOf = (holder: string): Step => ({
  op: "test",
  path: "/spec/holderIdentity",
  value: holder,
});

/** Nobody has changed it since. */
export const isAsOf = (version: string): Step => ({
  op: "test",
  path: "/metadata/resourceVersion",
  value: version,
});

/** Sets a member of it. */
export const setTo = (name: string, value: unknown): Step => ({
  op: "add",
  path: `/spec/${name}`,
  value,
});

/** Its holder lives, now. */
export const renewed = (): Step => setTo("renewTime", nowMicro());

/** It is nobody's. */
export const freed: Step = { op: "remove", path: "/spec/holderIdentity" };

/** As the cluster reads times of Leases: six digits behind the point. */
const nowMicro = (): string => new Date().toISOString().replace("Z", "000Z");
