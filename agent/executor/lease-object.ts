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

/** The holder, duration and version of a Lease. */
export function readLease(live: KubeObject) {
  const { holderIdentity, leaseDurationSeconds } = (live["spec"] ?? {}) as Spec; // Leases have that form
  return {
    holder: holderIdentity ?? "",
    durationS: leaseDurationSeconds ?? 0,
    version: String(live.metadata["resourceVersion"]),
  };
}

/** Creates the Lease; false when it exists by now. */
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

/** A renewal that takes longer has failed: the next one may use another connection. */
const timeoutMs = 10_000;

/** Changes the Lease if all tests among the steps hold; false if they do not, or if there is no Lease. */
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

/** Tests that this holder has the Lease. */
export const isOf = (holder: string): Step => ({
  op: "test",
  path: "/spec/holderIdentity",
  value: holder,
});

/** Tests that the Lease has not changed since this version. */
export const isAsOf = (version: string): Step => ({
  op: "test",
  path: "/metadata/resourceVersion",
  value: version,
});

/** Sets a member of the Lease's spec. */
export const setTo = (name: string, value: unknown): Step => ({
  op: "add",
  path: `/spec/${name}`,
  value,
});

/** Sets the time of the last renewal to now. */
export const renewed = (): Step => setTo("renewTime", nowMicro());

/** Removes the holder. */
export const freed: Step = { op: "remove", path: "/spec/holderIdentity" };

/** The time in the format of Leases: six digits after the decimal point. */
const nowMicro = (): string => new Date().toISOString().replace("Z", "000Z");
