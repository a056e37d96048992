import type { HelmContext } from "./helm-context.ts";
import type { Revision } from "./release-records.ts";
import { type HelmAnswer, runHelm } from "./run-helm.ts";

type RollBack = {
  /** Names it within the job. */
  readonly key: string;
  /** The newest revision, which is undone. */
  readonly undone: Revision;
  readonly to: Revision;
  readonly args: readonly string[];
};

const marks = { revision: "svc-undo", job: "svc-undo-job", execution: "svc-undo-execution" };

/**
 * Rolls a release back. A rollback has the labels of what it goes back to: what it undoes tells meanwhile which revision
 * it makes, and whose it is. Where that cannot be written down, nobody takes a killed one for ours.
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

/** Whose rollback a pending one is, as what it undoes tells. */
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
