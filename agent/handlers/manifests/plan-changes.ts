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
import type { LocatedObject } from "../../kubernetes/locate-objects.ts";
import { entryOf, type InventoryEntry } from "./inventory.ts";
import { type ManifestContext, throwIfStopped } from "./manifest-context.ts";

/**
 * What an apply would change, by dry runs of the server. A known change is not requested again while neither the
 * object nor its wanted state has changed. Throws JobFailure when the server refuses an object.
 */
export async function planApply(
  context: ManifestContext,
  known: ReadonlyMap<string, Change> = new Map(),
): Promise<Diff> {
  const there = context.objects.filter(({ isComing }) => !isComing).map(({ at }) => at);
  const liveOf = await getAll(context.cluster, there);
  const applied = await eachOf(context.objects, async (one) => {
    throwIfStopped(context.job, () => "nothing was changed");
    const live = liveOf(one.at);
    const basis = basisOf(context, one, live);
    const same = known.get(refKey(one.at.ref));
    if (same?.basis !== undefined && same.basis === basis) return { ...same, ref: one.at.ref };
    return { ...(await planObject(context, one, live)), ...(basis !== undefined && { basis }) };
  });
  const old = context.run.prunes ? ((await context.inventory?.read()) ?? []) : [];
  const now = new Set(context.objects.map(({ at }) => refKey(at.ref)));
  const gone = old.filter((entry) => !now.has(refKey(entry)));
  return {
    op: "apply",
    key: context.key,
    changes: [...applied, ...(await planDeletes(context, gone))],
  };
}

/** What a teardown would delete: all objects that deploys have created, and those of the manifest. */
export async function planTeardown(context: ManifestContext): Promise<Diff> {
  const old = (await context.inventory?.read()) ?? [];
  const known = new Set(old.map(refKey));
  const given = context.objects
    .filter(({ at, isComing }) => !isComing && !known.has(refKey(at.ref)))
    .map(({ at }) => entryOf(at.ref));
  const changes = await planDeletes(context, [...old, ...given]);
  return { op: "teardown", key: context.key, changes };
}

/** Undefined for an object without a version, as it is unknown whether it has changed. */
function basisOf(
  { manager, run, key }: ManifestContext,
  { object, isComing }: LocatedObject,
  live: KubeObject | undefined,
): string | undefined {
  if (live !== undefined && !live.metadata.resourceVersion) return undefined;
  const is = [live?.metadata.uid, live?.metadata.resourceVersion, isComing];
  return keyedDigest(JSON.stringify([is, manager, run.isForced, object]), key);
}

const unchanged = { changes: [], conflicts: [], words: "" } as const;

async function planObject(
  context: ManifestContext,
  one: LocatedObject,
  live: KubeObject | undefined,
): Promise<Change> {
  const { ref } = one.at;
  const create = (): Change => ({
    ...unchanged,
    ref,
    action: "create",
    changes: diffObjects({ after: one.object }, context.key),
  });
  if (one.isComing) return create();
  try {
    const { object, conflicts } = await dryRun(context, one);
    if (object === undefined) return { ...unchanged, ref, action: "conflict", conflicts };
    if (live === undefined) return create();
    const changes = diffObjects({ before: live, after: object }, context.key);
    const action = changes.length + conflicts.length === 0 ? "unchanged" : "update";
    const whole = action === "update" && { whole: { before: live, after: object } };
    return { ...unchanged, ref, action, changes, conflicts, ...whole };
  } catch (error) {
    throw explainRefusal(error, `${refWords(ref)} (${one.place})`);
  }
}

type Dry = { readonly object?: KubeObject; readonly conflicts: Change["conflicts"] };

/** Empty unless others manage fields that it sets and the plan does not take them over. */
async function dryRun(
  { cluster, manager, run }: ManifestContext,
  one: LocatedObject,
): Promise<Dry> {
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

async function planDeletes(
  context: ManifestContext,
  entries: readonly InventoryEntry[],
): Promise<Change[]> {
  const planned = await eachOf(entries, async (entry) => {
    throwIfStopped(context.job, () => "nothing was changed");
    return await planDelete(context, entry);
  });
  return planned.flatMap((change) => change ?? []);
}

/** Undefined when the object is gone, or is another one than was created. */
async function planDelete(
  context: ManifestContext,
  entry: InventoryEntry,
): Promise<Change | undefined> {
  const { uid: _, ...ref } = entry;
  const found = await findLive(context, entry);
  if (found === undefined) return undefined;
  const words = whyKept(context, entry, found.live);
  if (words !== "") return { ...unchanged, ref, action: "keep", words };
  return { ...unchanged, ref, action: "delete", whole: { before: found.live } };
}

/** The live object and its location; undefined when there is none, or its kind is gone with all of its objects. */
export async function findLive(
  { cluster }: ManifestContext,
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
 * Why an object is not deleted; empty when it is. An object is ours if it has the recorded uid or, without one, if we
 * manage it.
 */
export function whyKept(
  { run, manager }: Pick<ManifestContext, "run" | "manager">,
  entry: InventoryEntry,
  live: KubeObject,
): string {
  const { uid, annotations, managedFields } = live.metadata;
  if (entry.uid !== "" && entry.uid !== uid) return "it is not the object that was created";
  const isOurs = managedFields?.some((one) => one.manager === manager && one.operation === "Apply");
  if (entry.uid === "" && isOurs !== true)
    return "it is unknown whether it was created by this deploy";
  if (annotations?.["svc/prune"] === "disabled") return "its annotation svc/prune is disabled";
  if (holdsOthers(entry) && !run.deleteKinds.includes(entry.kind)) {
    return `delete_kinds does not name ${entry.kind}`;
  }
  return "";
}
