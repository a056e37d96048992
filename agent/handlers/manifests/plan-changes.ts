import { isRefusal } from "../../kubernetes/api-refusal.ts";
import type { Change, Diff } from "../../kubernetes/change.ts";
import type { Located } from "../../kubernetes/cluster.ts";
import { diffObjects } from "../../kubernetes/diff-objects.ts";
import { eachOf } from "../../kubernetes/each-of.ts";
import { conflictsOf, explainRefusal } from "../../kubernetes/explain-refusal.ts";
import { getAll } from "../../kubernetes/get-all.ts";
import { keyedDigest } from "../../kubernetes/keyed-digest.ts";
import { holdsOthers } from "../../kubernetes/kinds-order.ts";
import { type KubeObject, refKey, refWords } from "../../kubernetes/kube-object.ts";
import type { PlacedObject } from "../../kubernetes/locate-objects.ts";
import { entryOf, type InventoryEntry } from "./inventory.ts";
import { type Scene, stopIfTold } from "./scene.ts";

/**
 * What an apply would do, by the server's own word. A change that is known is not asked for while neither the object nor
 * what is wanted of it has changed. Throws JobFailure when the server refuses an object.
 */
export async function planApply(
  scene: Scene,
  known: ReadonlyMap<string, Change> = new Map(),
): Promise<Diff> {
  const there = scene.objects.filter(({ isComing }) => !isComing).map(({ at }) => at);
  const liveOf = await getAll(scene.cluster, there);
  const applied = await eachOf(scene.objects, async (one) => {
    stopIfTold(scene.job, () => "nothing was changed");
    const live = liveOf(one.at);
    const basis = basisOf(scene, one, live);
    const same = known.get(refKey(one.at.ref));
    if (same?.basis !== undefined && same.basis === basis) return { ...same, ref: one.at.ref };
    return { ...(await planObject(scene, one, live)), ...(basis !== undefined && { basis }) };
  });
  const old = scene.run.prunes ? ((await scene.inventory?.read()) ?? []) : [];
  const now = new Set(scene.objects.map(({ at }) => refKey(at.ref)));
  const gone = old.filter((entry) => !now.has(refKey(entry)));
  return {
    op: "apply",
    key: scene.key,
    changes: [...applied, ...(await planDeletes(scene, gone))],
  };
}

/** What a teardown would delete: all that deploys have made, and what the manifest has. */
export async function planTeardown(scene: Scene): Promise<Diff> {
  const old = (await scene.inventory?.read()) ?? [];
  const known = new Set(old.map(refKey));
  const given = scene.objects
    .filter(({ at, isComing }) => !isComing && !known.has(refKey(at.ref)))
    .map(({ at }) => entryOf(at.ref));
  const changes = await planDeletes(scene, [...old, ...given]);
  return { op: "teardown", key: scene.key, changes };
}

/** None for an object that has no version: nobody knows whether it has changed. */
function basisOf(
  { manager, run, key }: Scene,
  { object, isComing }: PlacedObject,
  live: KubeObject | undefined,
): string | undefined {
  if (live !== undefined && !live.metadata.resourceVersion) return undefined;
  const is = [live?.metadata.uid, live?.metadata.resourceVersion, isComing];
  return keyedDigest(JSON.stringify([is, manager, run.isForced, object]), key);
}

const unchanged = { changes: [], conflicts: [], words: "" } as const;

async function planObject(
  scene: Scene,
  one: PlacedObject,
  live: KubeObject | undefined,
): Promise<Change> {
  const { ref } = one.at;
  const create = (): Change => ({
    ...unchanged,
    ref,
    action: "create",
    changes: diffObjects({ after: one.object }, scene.key),
  });
  if (one.isComing) return create();
  try {
    const { object, conflicts } = await dryRun(scene, one);
    if (object === undefined) return { ...unchanged, ref, action: "conflict", conflicts };
    if (live === undefined) return create();
    const changes = diffObjects({ before: live, after: object }, scene.key);
    const action = changes.length + conflicts.length === 0 ? "unchanged" : "update";
    return { ...unchanged, ref, action, changes, conflicts };
  } catch (error) {
    throw explainRefusal(error, `${refWords(ref)} (${one.place})`);
  }
}

type Dry = { readonly object?: KubeObject; readonly conflicts: Change["conflicts"] };

/** Nothing where others manage what it sets, and the plan does not say that this is taken over. */
async function dryRun({ cluster, manager, run }: Scene, one: PlacedObject): Promise<Dry> {
  const how = { manager, force: false, isDry: true };
  try {
    return { object: await cluster.apply(one.at, one.object, how), conflicts: [] };
  } catch (error) {
    const conflicts = conflictsOf(error);
    if (conflicts.length === 0) throw error;
    if (!run.isForced) return { conflicts };
    const object = await cluster.apply(one.at, one.object, { ...how, force: true });
    return { object, conflicts };
  }
}

async function planDeletes(scene: Scene, entries: readonly InventoryEntry[]): Promise<Change[]> {
  const planned = await eachOf(entries, async (entry) => {
    stopIfTold(scene.job, () => "nothing was changed");
    return await planDelete(scene, entry);
  });
  return planned.flatMap((change) => change ?? []);
}

/** Nothing where the object is gone, or is another one than was made. */
async function planDelete(scene: Scene, entry: InventoryEntry): Promise<Change | undefined> {
  const { uid: _, ...ref } = entry;
  const found = await findLive(scene, entry);
  if (found === undefined) return undefined;
  const words = whyKept(scene, entry, found.live);
  return { ...unchanged, ref, action: words === "" ? "delete" : "keep", words };
}

/** The object as it lives, and where; nothing where there is none, or its kind is gone with all of its objects. */
export async function findLive(
  { cluster }: Scene,
  entry: InventoryEntry,
): Promise<{ readonly at: Located; readonly live: KubeObject } | undefined> {
  const resource = await cluster.discovery.find(entry.apiVersion, entry.kind);
  if (resource === undefined) return undefined;
  const at = { ref: entry, resource };
  try {
    const live = await cluster.get(at);
    return live && { at, live };
  } catch (error) {
    if (isRefusal(error, 404)) return undefined;
    throw explainRefusal(error, refWords(entry));
  }
}

/**
 * Why an object is not deleted; empty where it is. Ours is what has the uid that was written down; where none was, what
 * we manage.
 */
export function whyKept(
  { run, manager }: Pick<Scene, "run" | "manager">,
  entry: InventoryEntry,
  live: KubeObject,
): string {
  const { uid, annotations, managedFields } = live.metadata;
  if (entry.uid !== "" && entry.uid !== uid) return "it is another one than was made";
  const isOurs = managedFields?.some((one) => one.manager === manager && one.operation === "Apply");
  if (entry.uid === "" && isOurs !== true) return "nobody knows whether it was made here";
  if (annotations?.["svc/prune"] === "disabled") return "its annotation svc/prune is disabled";
  if (holdsOthers(entry) && !run.deleteKinds.includes(entry.kind)) {
    return `delete_kinds does not name ${entry.kind}`;
  }
  return "";
}
