import { pause } from "../../client/pause.ts";
import { JobFailure } from "../../jobs/job-failure.ts";
import { awaitReady } from "../../kubernetes/await-ready.ts";
import type { Change } from "../../kubernetes/change.ts";
import type { Located } from "../../kubernetes/cluster.ts";
import { deployFailure, withMoreDetail } from "../../kubernetes/deploy-failure.ts";
import { eachOf } from "../../kubernetes/each-of.ts";
import { explainRefusal } from "../../kubernetes/explain-refusal.ts";
import { inOrder } from "../../kubernetes/kinds-order.ts";
import { type KubeObject, refKey, refWords } from "../../kubernetes/kube-object.ts";
import type { LocatedObject } from "../../kubernetes/locate-objects.ts";
import { keepPullSecret } from "../../kubernetes/pull-secret.ts";
import { deleteObjects } from "./delete-objects.ts";
import { entryOf, type InventoryEntry, unionOf } from "./inventory.ts";
import { type ManifestContext, throwIfStopped } from "./manifest-context.ts";

/**
 * Applies all objects in the order of their kinds and deletes what was approved for deletion. Repeated after a crash,
 * it has the same result. Throws a JobFailure that says what was done.
 */
export async function applyChanges(
  context: ManifestContext,
  approved: readonly Pick<Change, "action" | "ref">[],
): Promise<void> {
  const { run, objects, inventory, namespace } = context;
  const uids = new Map<string, string>();
  const groups = inOrder(objects, ({ at }) => at.ref);
  const namespaces = groups.filter(([one]) => one?.at.ref.kind === "Namespace");
  // The inventory is in a namespace, which may have to be created first.
  for (const group of namespaces) await applyGroup(context, group, uids);
  const now = (): InventoryEntry[] =>
    objects.map(({ at }) => entryOf(at.ref, uids.get(refKey(at.ref))));
  const old = (await inventory?.read()) ?? [];
  await inventory?.write(unionOf(old, now()));
  await keepPullSecret(context, run.pullSecret, { namespace });
  for (const group of groups) {
    if (!namespaces.includes(group)) await applyGroup(context, group, uids);
  }
  const deletes = approved
    .filter(({ action }) => action === "delete")
    .map(({ ref }) => refKey(ref));
  const kept = old.filter((one) => !uids.has(refKey(one)));
  const gone = kept.filter((one) => deletes.includes(refKey(one)));
  await deleteObjects(context, gone, `${uids.size} objects were applied`);
  await inventory?.write(unionOf(run.prunes ? await stillThere(context, kept, gone) : kept, now()));
}

/** Waits until all applied objects are ready, if the plan says so. Throws JobFailure. */
export async function awaitApplied({ job, run, cluster, objects }: ManifestContext): Promise<void> {
  if (!run.waits) return;
  const located = objects.map(({ at }) => at);
  await awaitReady(job, cluster, { objects: located, timeoutMs: run.waitMs });
  throwIfStopped(job, () => `all ${objects.length} objects were applied, but not all are ready`);
}

/** Objects that were kept stay in the inventory, so that a later plan may allow their deletion. */
async function stillThere(
  { cluster }: ManifestContext,
  kept: readonly InventoryEntry[],
  gone: readonly InventoryEntry[],
): Promise<InventoryEntry[]> {
  const found = await eachOf(kept, async (entry) => {
    if (gone.includes(entry)) return [];
    const resource = await cluster.discovery.find(entry.apiVersion, entry.kind);
    if (resource === undefined) return [];
    const live = await cluster.get({ ref: entry, resource });
    const isSame = entry.uid === "" || live?.metadata.uid === entry.uid;
    return live !== undefined && isSame ? [entry] : [];
  });
  return found.flat();
}

const mostNamed = 20;

async function applyGroup(
  context: ManifestContext,
  group: readonly LocatedObject[],
  uids: Map<string, string>,
): Promise<void> {
  const { job } = context;
  await eachOf(group, async (one) => {
    throwIfStopped(job, () => doneWords(context, uids));
    const applied = await applyObject(context, one, uids);
    uids.set(refKey(one.at.ref), applied.metadata.uid ?? "");
    job.log(
      `${refWords(one.at.ref)} was applied.`,
      "info",
      "apply",
      `applied ${refKey(one.at.ref)}`,
    );
  });
  const kind = group[0]?.at.ref.kind;
  if (kind === "Namespace" || kind === "CustomResourceDefinition") {
    const objects = group.map(({ at }) => at);
    await awaitReady(job, context.cluster, {
      objects,
      timeoutMs: Math.min(context.run.waitMs, 60_000),
    });
    if (kind === "CustomResourceDefinition") await awaitServed(context);
  }
}

async function applyObject(
  context: ManifestContext,
  { at, object, place }: LocatedObject,
  uids: Map<string, string>,
): Promise<KubeObject> {
  const { cluster, manager, run } = context;
  try {
    return await cluster.apply(at, object, { manager, force: run.isForced, isDry: false });
  } catch (error) {
    const explained = explainRefusal(error, `${refWords(at.ref)} (${place})`);
    if (!(explained instanceof JobFailure) || uids.size === 0) throw explained;
    throw withMoreDetail(explained, `Before that, ${doneWords(context, uids)}.`);
  }
}

function doneWords({ objects }: ManifestContext, uids: ReadonlyMap<string, string>): string {
  if (uids.size === 0) return "nothing was applied";
  const names = objects
    .filter(({ at }) => uids.has(refKey(at.ref)))
    .map(({ at }) => refWords(at.ref));
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : "";
  return `${uids.size} of ${objects.length} objects were applied (${names.slice(0, mostNamed).join(", ")}${more})`;
}

const mostLooks = 60;

/** A new kind is served shortly after it is established. */
async function awaitServed({ cluster, objects, job }: ManifestContext): Promise<void> {
  const coming: readonly Located[] = objects.filter(({ isComing }) => isComing).map(({ at }) => at);
  for (const { resource } of coming) {
    for (let look = 0; ; look++) {
      cluster.discovery.forget(resource.apiVersion);
      if ((await cluster.discovery.find(resource.apiVersion, resource.kind)) !== undefined) break;
      if (look >= mostLooks || job.signal.aborted) {
        const words = `The kind ${resource.kind} of ${resource.apiVersion} is not served.`;
        throw deployFailure(words, "not_ready");
      }
      await pause(250, job.signal);
    }
  }
}
