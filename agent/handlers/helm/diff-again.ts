import type { Change, Diff } from "../../kubernetes/change.ts";
import { changedMeanwhile } from "../../kubernetes/consent-to-diff.ts";
import { digestOfChange, digestOfDiff } from "../../kubernetes/digest-of-diff.ts";
import { refKey, refWords } from "../../kubernetes/kube-object.ts";
import type { HelmGround } from "./helm-ground.ts";
import { listRevisions, type Revision } from "./releases.ts";

/** What was shown for approval. */
export type Shown = {
  readonly diff: Diff;
  readonly revisions: readonly Revision[];
  /** Computes it once more; `look` names that within the job. */
  readonly diffOf: (look: string) => Promise<Diff>;
};

/**
 * What would be done by now. What the chart renders anew each time (a password, a certificate) stays as it was shown: it
 * can be no other way. Throws JobFailure (`plan_stale`) when somebody else has been at the release.
 */
export async function diffAgain(ground: HelmGround, shown: Shown): Promise<Diff> {
  const { job } = ground;
  const { diff, revisions, diffOf } = shown;
  const now = await listRevisions(ground, "history/approved");
  if (JSON.stringify(now) !== JSON.stringify(revisions)) throw changedMeanwhile();
  const second = await diffOf("approved");
  if (digestOfDiff(second) === digestOfDiff(diff)) return second;
  const third = byKey(await diffOf("compared"));
  const before = byKey(diff);
  const changes = second.changes.map((change) => {
    const key = refKey(change.ref);
    const [other, was] = [third.get(key), before.get(key)];
    if (other === undefined || was?.action !== change.action) return change;
    if (digestOfChange(other) === digestOfChange(change)) return change;
    const words = `${refWords(change.ref)} is rendered anew each time: it gets other values than were shown.`;
    job.say(words, "warn", "diff", `anew ${key}`);
    return was;
  });
  return { ...second, changes };
}

const byKey = ({ changes }: Diff): Map<string, Change> =>
  new Map(changes.map((change) => [refKey(change.ref), change]));
