import type { HelmContext } from "./helm-context.ts";
import type { Revision } from "./release-records.ts";
import { type HelmAnswer, runHelm } from "./run-helm.ts";

type RollBack = {
  /** Names it within the job. */
  readonly key: string;
  /** The newest revision, which is rolled back. */
  readonly undone: Revision;
  readonly to: Revision;
  readonly args: readonly string[];
};

const marks = { revision: "svc-undo", job: "svc-undo-job", execution: "svc-undo-execution" };

/**
 * Rolls a release back. Helm gives a rollback the labels of its target revision. So the revision that is rolled back
 * gets labels that say which revision the rollback creates, and for which job. If they cannot be written, a killed
 * rollback is not recognized as ours.
 */
export async function rollBack(
  { helm, run, job, records }: HelmContext,
  { key, undone, to, args }: RollBack,
): Promise<HelmAnswer> {
  const label = async (labels: Parameters<typeof records.label>[1]): Promise<void> =>
    await records.label(undone.revision, labels).catch(() => {});
  await label({
    [marks.revision]: String(undone.revision + 1),
    [marks.job]: job.info.id,
    [marks.execution]: job.executionId,
  });
  const answer = await runHelm(helm, {
    key,
    args: ["rollback", run.name, String(to.revision), ...args],
  });
  await label({ [marks.revision]: null, [marks.job]: null, [marks.execution]: null });
  return answer;
}

/** Which job's rollback a pending one is, by the labels of the revision that is rolled back. */
export function rollerOf(
  pending: Revision,
  revisions: readonly Revision[],
): { readonly job: string | undefined; readonly execution: string | undefined } {
  const labels = revisions.at(-2)?.labels ?? {};
  if (labels[marks.revision] !== String(pending.revision)) {
    return { job: undefined, execution: undefined };
  }
  return { job: labels[marks.job], execution: labels[marks.execution] };
}
