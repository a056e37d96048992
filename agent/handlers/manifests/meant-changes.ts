import type { Change, Diff } from "../../kubernetes/change.ts";
import { deployFailure } from "../../kubernetes/deploy-failure.ts";
import { digestOfChange } from "../../kubernetes/digest-of-diff.ts";
import { refKey, refWords } from "../../kubernetes/kube-object.ts";
import type { ManifestContext } from "./manifest-context.ts";
import { planApply } from "./plan-changes.ts";

/** A change that is to be made, as it is remembered over restarts of the agent. */
export type Meant = Pick<Change, "action" | "ref"> & { readonly digest: string };

/** All that a diff changes. */
export function meantBy({ changes, key }: Diff): Meant[] {
  const acts = changes.filter(({ action }) => action !== "unchanged");
  return acts.map((change) => {
    const { action, ref } = change;
    return { action, ref, digest: digestOfChange(change, key) };
  });
}

/**
 * What was approved holds for the objects as they were then: an agent that is killed before it has applied all may be
 * followed much later. What is left to do has to be a part of it. Throws JobFailure (`plan_stale`) when it is not.
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
    `${refWords(first.ref)}${more} changed while no agent was there: what would be done is not what was approved. ` +
      "Nothing more was done, and an earlier agent may have applied a part: make the plan anew.",
    "plan_stale",
  );
}
