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
  /** Empty while nobody knows it: the object was about to be made. */
  uid: z.string(),
});
/** An object that a deploy made, as it is remembered in the cluster. */
export type InventoryEntry = z.infer<typeof entry>;

/** What a deploy has made, kept in the cluster itself, in a ConfigMap. */
export type Inventory = {
  readonly read: () => Promise<InventoryEntry[]>;
  readonly write: (entries: readonly InventoryEntry[]) => Promise<void>;
  readonly remove: () => Promise<void>;
};

type Whose = { readonly id: string; readonly namespace: string; readonly manager: string };

const mostBytes = 900_000; // of the mebibyte that a ConfigMap may have

/** The inventory of a deploy, there or not. */
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
          "The list of what was made is longer than a ConfigMap may be: give it in several deploys.",
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
    const words = `The ConfigMap ${name}, which says what earlier deploys made, makes no sense: somebody changed it.`;
    throw deployFailure(words, "config_invalid");
  }
}

/** What was and what will be, each once: a crash after it is written leaves too much in it, never too little. */
export function unionOf(
  old: readonly InventoryEntry[],
  now: readonly InventoryEntry[],
): InventoryEntry[] {
  const all = new Map(now.map((one) => [refKey(one), one]));
  for (const one of old) {
    // A uid that is known stays so until the object was applied again.
    const known = all.get(refKey(one));
    all.set(refKey(one), known === undefined || known.uid === "" ? one : known);
  }
  return [...all.values()];
}

/** An object's entry. */
export function entryOf(
  { apiVersion, kind, namespace, name }: ObjectRef,
  uid = "",
): InventoryEntry {
  return { apiVersion, kind, namespace, name, uid };
}
