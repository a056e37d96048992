import { pause } from "../../client/pause.ts";
import { isRefusal } from "../../kubernetes/api-refusal.ts";
import type { Located } from "../../kubernetes/cluster.ts";
import { deployFailure } from "../../kubernetes/deploy-failure.ts";
import { eachOf } from "../../kubernetes/each-of.ts";
import { explainRefusal } from "../../kubernetes/explain-refusal.ts";
import { inOrder } from "../../kubernetes/kinds-order.ts";
import { refKey, refWords } from "../../kubernetes/kube-object.ts";
import type { InventoryEntry } from "./inventory.ts";
import { type ManifestContext, throwIfStopped } from "./manifest-context.ts";
import { findLive, whyKept } from "./plan-changes.ts";

/** Deletes objects in the reverse order of their kinds and waits until each group is gone. Throws JobFailure. */
export async function deleteObjects(
  context: ManifestContext,
  entries: readonly InventoryEntry[],
  before: string,
): Promise<void> {
  const { job } = context;
  let deleted = 0;
  for (const group of inOrder(entries, (entry) => entry).toReversed()) {
    const going = await eachOf(group, async (entry) => {
      throwIfStopped(job, () => `${before}, ${deleted} of ${entries.length} were deleted`);
      const at = await deleteObject(context, entry);
      deleted += 1;
      return at;
    });
    await awaitGone(
      context,
      going.flatMap((at) => at ?? []),
    );
  }
}

type Going = { readonly at: Located; readonly uid: string };

async function deleteObject(
  context: ManifestContext,
  entry: InventoryEntry,
): Promise<Going | undefined> {
  const found = await findLive(context, entry);
  if (found === undefined) return undefined;
  const { at, live } = found;
  const kept = whyKept(context, entry, live);
  if (kept !== "") {
    context.job.log(
      `${refWords(entry)} was kept: ${kept}.`,
      "info",
      "delete",
      `kept ${refKey(entry)}`,
    );
    return undefined;
  }
  const uid = live.metadata.uid ?? "";
  try {
    if (!(await context.cluster.remove(at, uid))) return undefined;
  } catch (error) {
    // Another object has this name by now.
    if (isRefusal(error, 409)) return undefined;
    throw explainRefusal(error, refWords(entry));
  }
  context.job.log(`${refWords(entry)} was deleted.`, "info", "delete", `deleted ${uid}`);
  return { at, uid };
}

async function awaitGone(context: ManifestContext, going: readonly Going[]): Promise<void> {
  const { job, cluster, run } = context;
  const endsAtMs = Date.now() + run.waitMs;
  let left = going;
  for (let look = 0; left.length > 0; look++) {
    const are = await eachOf(left, async ({ at, uid }) => {
      const live = await cluster.get(at);
      return live?.metadata.uid === uid ? live : undefined;
    });
    left = left.filter((_, at) => are[at] !== undefined);
    const [first] = left;
    if (first === undefined) return;
    throwIfStopped(job, () => `${refWords(first.at.ref)} is still being deleted`);
    if (Date.now() >= endsAtMs) {
      const finalizers = are.flatMap((live) => live?.metadata.finalizers ?? []).join(", ");
      const words = `${refWords(first.at.ref)} was deleted but still exists (finalizers: ${finalizers || "none"}).`;
      throw deployFailure(words, "timeout");
    }
    await pause(Math.min(2_000, 100 * 1.5 ** look), job.signal);
  }
}
