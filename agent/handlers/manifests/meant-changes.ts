import type { Change, Diff } from "../../kubernetes/change.ts";
import { deployFailure } from "../../kubernetes/deploy-failure.ts";
import { digestOfChange } from "../../kubernetes/digest-of-diff.ts";
import { refKey, refWords } from "../../kubernetes/kube-object.ts";
import type { ManifestContext } from "./manifest-context.ts";
import { planApply } from "./plan-changes.ts";

/** A planned change, as stored for restarts of the agent. */
export type Meant = Pick<Change, "action" | "ref"> & { readonly digest: string };

/** All changes of a diff. */
export function meantBy({ changes, key }: Diff): Meant[] {
  const acts = changes.filter(({ action }) => action !== "unchanged");
  return acts.map((change) => {
    const { action, ref } = change;
    return { action, ref, digest: digestOfChange(change, key) };
  });
}

/**
 * An approval holds for the objects as they were then: when an agent is killed before it has applied all, another may
 * resume much later. The remaining changes must be a part of the approved ones. Throws JobFailure (`plan_stale`) if
 * they are not.
 */
export async function expectMeant(
  context: ManifestContext,
  meant: readonly Meant[],
): Promise<void> {
  const digests = new Map(meant.map(({ ref, digest }) => [refKey(ref), digest]));
  const { changes } = await planApply(context);
  const other = changes.filter((change) => {
    if (change.action === "unchanged" || change.action === "keep") return false;
    return digests.get(refKey(change.ref)) !== digestOfChange(change, context.key);
  });
  const [first] = other;
  if (first === undefined) return;
  const more = other.length === 1 ? "" : ` and ${other.length - 1} more`;
  throw deployFailure(
    `${refWords(first.ref)}${more} changed while no agent was running: the changes are not what was approved. Nothing more was done; an earlier agent may have applied a part. Make a new plan.`,
    "plan_stale",
  );
}
