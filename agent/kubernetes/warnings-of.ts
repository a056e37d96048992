import type { Cluster } from "./cluster.ts";
import type { KubeObject, ObjectRef } from "./kube-object.ts";

const mostEvents = 10;

/** The latest warning events of an object; none if the job may not read them. */
export async function warningsOf(
  cluster: Cluster,
  { kind, namespace, name }: ObjectRef,
): Promise<string[]> {
  const events = await cluster.discovery.find("v1", "Event").catch(() => undefined);
  if (events === undefined) return [];
  const fieldSelector = `involvedObject.kind=${kind},involvedObject.name=${name},type=Warning`;
  const found = await cluster.list(events, namespace, { fieldSelector }).catch(() => []);
  return found.slice(-mostEvents).map(eventWords);
}

function eventWords(event: KubeObject): string {
  const { reason, message, count } = event as {
    readonly reason?: string;
    readonly message?: string;
    readonly count?: number;
  };
  const often = (count ?? 1) > 1 ? ` (${count} times)` : "";
  return `${reason ?? "Warning"}: ${message ?? ""}${often}`;
}
