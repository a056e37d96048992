import {
  getExecutionEndRoute,
  getExecutionRoute,
} from "../../../shared/api/read-runner-job-executions.ts";
import { Refused } from "../../client/broker-errors.ts";
import type { Job } from "../../jobs/handler.ts";
import { deployFailure } from "../../kubernetes/deploy-failure.ts";
import type { HelmContext } from "./helm-context.ts";
import type { Revision } from "./release-records.ts";
import { listRevisions, pendingIn } from "./releases.ts";
import { rollBack, rollerOf } from "./roll-back.ts";
import { askHelm, helmFailure } from "./run-helm.ts";

/** The labels that say which job's helm changes a release. */
export const markLabels = (jobId: string, executionId: string): string =>
  `svc-job=${jobId},svc-execution=${executionId}`;

/** Whether this execution's helm wrote the revision down. */
export const isMarked = (
  { labels }: Revision,
  { executionId }: Pick<Job, "executionId">,
): boolean => labels["svc-execution"] === executionId;

/**
 * Frees a release that a killed helm left pending, but only when the broker says that the execution which held it is
 * over. Answers the revisions after that. Throws JobFailure when another job holds it, or when that is unknown.
 */
export async function recoverRelease(
  context: HelmContext,
  revisions: Revision[],
): Promise<Revision[]> {
  const { job, run } = context;
  const pending = pendingIn(revisions);
  if (pending === undefined) return revisions;
  const holder = holderOf(pending, revisions);
  if (!(await isOver(context, holder, pending))) {
    const whose =
      holder.job === undefined
        ? "A helm that no job of this runner started"
        : `The job ${holder.job}`;
    throw deployFailure(
      `${whose} holds the release ${run.name} (${pending.status}, revision ${pending.revision}), and may still be running: ` +
        `wait for it, or roll back or uninstall the release by hand.`,
      "locked",
    );
  }
  job.log(
    `The release is ${pending.status} since the job ${holder.job}, which is over: freeing it.`,
    "warn",
    "recover",
    "recover",
  );
  await free(context, pending, revisions);
  return await listRevisions(context, "history/recovered");
}

/** An upgrade by hand copies the labels of the revision before: only the first revision that has them is this job's. */
function holderOf(pending: Revision, revisions: readonly Revision[]): Holder {
  if (pending.status === "pending-rollback") return rollerOf(pending, revisions);
  const { "svc-job": job, "svc-execution": execution } = pending.labels;
  const isFirst = !revisions.some(
    (one) => one.revision < pending.revision && one.labels["svc-execution"] === execution,
  );
  return isFirst ? { job, execution } : { job: undefined, execution: undefined };
}

type Holder = { readonly job: string | undefined; readonly execution: string | undefined };

/** A revision that was created after the execution was over is not the execution's. */
async function isOver(
  { job }: HelmContext,
  holder: Holder,
  { status, madeAt = "" }: Revision,
): Promise<boolean> {
  if (holder.job === undefined || holder.execution === undefined) return false;
  // This execution's own: the agent that ran it was killed, and its helm with it.
  if (holder.execution === job.executionId) return true;
  const ids = { job_id: holder.job, execution_id: holder.execution };
  try {
    const endedAt = await endOf(job, ids);
    if (endedAt === null) return false;
    const isLate = Date.parse(madeAt) > Date.parse(endedAt);
    return status !== "pending-rollback" || !isLate;
  } catch (error) {
    if (error instanceof Refused) return false;
    throw error;
  }
}

type ExecutionIds = { readonly job_id: string; readonly execution_id: string };

/** In a pod only the job's token is available, which may ask for no more than this. */
async function endOf({ agent, signal }: Job, params: ExecutionIds): Promise<string | null> {
  const how = { scope: "agent", signal, giveUpAfterMs: 60_000 } as const;
  try {
    const { body } = await agent.client.call(getExecutionEndRoute, { params }, how);
    return body.finished_at;
  } catch (error) {
    // An older broker has no such route; for a runner's token it answers in this way.
    if (!(error instanceof Refused) || error.status !== 404) throw error;
    const { body } = await agent.client.call(getExecutionRoute, { params }, how);
    return body.finished_at;
  }
}

async function free(
  context: HelmContext,
  pending: Revision,
  revisions: readonly Revision[],
): Promise<void> {
  const { run, helm } = context;
  const key = `recover/${pending.revision}`;
  const good = revisions.findLast(({ status }) => ["deployed", "superseded"].includes(status));
  const doing = `The release ${run.name}, which was left pending, cannot be freed`;
  const timeout = ["--timeout", `${Math.ceil(run.waitMs / 1000)}s`];
  if (good === undefined) {
    const args = ["uninstall", run.name, "--wait", ...timeout];
    await askHelm(helm, { key, args }, doing);
    return;
  }
  const answer = await rollBack(context, { key, undone: pending, to: good, args: timeout });
  if (!answer.isGood) throw helmFailure(answer, doing);
}
