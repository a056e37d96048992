import { createHash } from "node:crypto";
import { z } from "zod";
import type { Cluster, Located } from "../../kubernetes/cluster.ts";
import { deployFailure } from "../../kubernetes/deploy-failure.ts";
import { type ObjectRef, refKey } from "../../kubernetes/kube-object.ts";

const entry = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  namespace: z.string(),
  name: z.string(),
  /** Empty while it is unknown: the object was about to be created. */
  uid: z.string(),
});
/** An object that a deploy created, as recorded in the cluster. */
export type InventoryEntry = z.infer<typeof entry>;

/** The list of objects that a deploy has created, kept in a ConfigMap of the cluster. */
export type Inventory = {
  readonly read: () => Promise<InventoryEntry[]>;
  readonly write: (entries: readonly InventoryEntry[]) => Promise<void>;
  readonly remove: () => Promise<void>;
};

type Whose = { readonly id: string; readonly namespace: string; readonly manager: string };

const mostBytes = 900_000; // a ConfigMap may have 1 MiB

/** The inventory of a deploy, which may not exist yet. */
export function openInventory(cluster: Cluster, { id, namespace, manager }: Whose): Inventory {
  const name = `svc-inventory-${createHash("sha256").update(id).digest("hex").slice(0, 16)}`;
  const at: Located = {
    ref: { apiVersion: "v1", kind: "ConfigMap", namespace, name },
    resource: { apiVersion: "v1", kind: "ConfigMap", plural: "configmaps", isNamespaced: true },
  };
  return {
    read: async () => {
      const object = await cluster.get(at);
      const lines = (object?.["data"] as Record<string, string> | undefined)?.["objects"] ?? "";
      return lines.split("\n").flatMap((line) => (line === "" ? [] : [parsed(line, name)]));
    },
    write: async (entries) => {
      const objects = entries.map((one) => JSON.stringify(one)).join("\n");
      if (objects.length > mostBytes) {
        throw deployFailure(
          "The inventory of this deploy is too long for a ConfigMap: split it into several deploys.",
          "config_invalid",
        );
      }
      const labels = { "app.kubernetes.io/managed-by": "svc-agent" };
      const object = {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name, namespace, labels, annotations: { "svc/inventory": id } },
        data: { objects },
      };
      await cluster.apply(at, object, { manager, force: true, isDry: false });
    },
    remove: async () => {
      const object = await cluster.get(at);
      if (object !== undefined) await cluster.remove(at, object.metadata.uid ?? "");
    },
  };
}

function parsed(line: string, name: string): InventoryEntry {
  try {
    return entry.parse(JSON.parse(line));
  } catch {
    const words = `The ConfigMap ${name}, the inventory of earlier deploys, is invalid: someone changed it.`;
    throw deployFailure(words, "config_invalid");
  }
}

/** Old and new entries, each once: a crash after it is written leaves too many entries, never too few. */
export function unionOf(
  old: readonly InventoryEntry[],
  now: readonly InventoryEntry[],
): InventoryEntry[] {
  const all = new Map(now.map((one) => [refKey(one), one]));
  for (const one of old) {
    // A known uid stays until the object is applied again.
    const known = all.get(refKey(one));
    all.set(refKey(one), known === undefined || known.uid === "" ? one : known);
  }
  return [...all.values()];
}

/** The inventory's entry for an object. */
export function entryOf(
  { apiVersion, kind, namespace, name }: ObjectRef,
  uid = "",
): InventoryEntry {
  return { apiVersion, kind, namespace, name, uid };
}
