import type { Job } from "../../jobs/handler.ts";
import { changedMeanwhile } from "../../kubernetes/approve-diff.ts";
import type { Change, Diff } from "../../kubernetes/change.ts";
import { digestOfChange, digestOfDiff } from "../../kubernetes/digest-of-diff.ts";
import { refKey, refWords } from "../../kubernetes/kube-object.ts";
import type { HelmContext } from "./helm-context.ts";
import type { Revision } from "./release-records.ts";
import { readRevisions } from "./releases.ts";
import { isRenderedAnew } from "./rendered-anew.ts";

/** What was shown for approval. */
export type Shown = {
  readonly diff: Diff;
  readonly revisions: readonly Revision[];
  /** Computes the diff again; `look` names it within the job. */
  readonly diffOf: (look: string) => Promise<Diff>;
};

/**
 * What an apply would change now. Values that the chart renders anew each time (a password, a certificate) stay as
 * they were shown: they cannot be the same again. Throws JobFailure (`plan_stale`) when somebody else has changed the
 * release.
 */
export async function diffAgain(context: HelmContext, shown: Shown): Promise<Diff> {
  const { job } = context;
  const { diff, revisions, diffOf } = shown;
  await expectSame(context, revisions);
  const second = await diffOf(newLook(job, "approved"));
  if (digestOfDiff(second) === digestOfDiff(diff)) return second;
  const third = byKey(await diffOf(newLook(job, "compared")));
  const before = byKey(diff);
  const changes = second.changes.map((change) => {
    const key = refKey(change.ref);
    const [other, was] = [third.get(key), before.get(key)];
    if (other === undefined || was === undefined) return change;
    if (digestOfChange(was, diff.key) === digestOfChange(change, diff.key)) return change;
    if (!isRenderedAnew(was, change, other)) return change;
    const words = `${refWords(change.ref)} is different in each rendering: it gets other values than were shown.`;
    job.log(words, "warn", "diff", `anew ${key}`);
    return was;
  });
  return { ...second, changes };
}

/**
 * An approval holds for the release as it was then, until helm's call `key` has begun to change it: after a kill,
 * another agent may resume the job much later. Throws JobFailure (`plan_stale`).
 */
export async function expectUntouched(
  context: HelmContext,
  revisions: readonly Revision[],
  key: string,
): Promise<void> {
  const { job, run } = context;
  const { requireApproval } = job.agent.config;
  if (run.approved === undefined && requireApproval === undefined) return;
  if (!job.hasBegun(`helm/${key}`)) await expectSame(context, revisions);
}

async function expectSame(context: HelmContext, revisions: readonly Revision[]): Promise<void> {
  const now = await readRevisions(context.records);
  if (JSON.stringify(now) !== JSON.stringify(revisions)) throw changedMeanwhile();
}

/** A rendering by an earlier process of the agent may be out of date. */
function newLook(job: Job, name: string): string {
  for (let nth = 1; ; nth++) {
    const look = `${name}/${nth}`;
    if (!job.hasBegun(`helm/render/${look}`)) return look;
  }
}

const byKey = ({ changes }: Diff): Map<string, Change> =>
  new Map(changes.map((change) => [refKey(change.ref), change]));
