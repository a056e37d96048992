import { getExecutionRoute } from "../../../shared/api/read-runner-job-executions.ts";
import { Refused } from "../../client/broker-errors.ts";
import type { Job } from "../../jobs/handler.ts";
import { deployFailure } from "../../kubernetes/deploy-failure.ts";
import type { HelmGround } from "./helm-ground.ts";
import { listRevisions, pendingIn, type Revision } from "./releases.ts";
import { askHelm } from "./run-helm.ts";

/** How a release tells whose helm is at work on it. */
export const markLabels = (jobId: string, executionId: string): string =>
  `svc-job=${jobId},svc-execution=${executionId}`;

/** Whether this execution's helm wrote the revision down. */
export const isMarked = (
  { labels }: Revision,
  { executionId }: Pick<Job, "executionId">,
): boolean => labels["svc-execution"] === executionId;

/**
 * Frees a release that somebody's helm left pending when it was killed: only when the broker says that the execution
 * which held it is over. Answers its revisions by then. Throws JobFailure when another one holds it, or nobody knows.
 */
export async function recoverRelease(
  ground: HelmGround,
  revisions: Revision[],
): Promise<Revision[]> {
  const { job, run } = ground;
  const pending = pendingIn(revisions);
  if (pending === undefined) return revisions;
  const labels = markedBy(pending, revisions)?.labels ?? {};
  const holder = { job: labels["svc-job"], execution: labels["svc-execution"] };
  if (!(await isOver(ground, holder))) {
    const whose =
      holder.job === undefined ? "Helm that no job of this runner began" : `The job ${holder.job}`;
    throw deployFailure(
      `${whose} holds the release ${run.name} (${pending.status}, revision ${pending.revision}), and nobody knows that it is over: ` +
        `wait for it, or roll back or uninstall the release by hand.`,
      "locked",
    );
  }
  job.say(
    `The release is ${pending.status} since the job ${holder.job}, which is over: it is freed.`,
    "warn",
    "recover",
    "recover",
  );
  await free(ground, pending, revisions);
  return await listRevisions(ground, "history/recovered");
}

/** Whose labels tell who is at work. A rollback's own are those of what it goes back to: it is told by what it undoes. */
function markedBy(pending: Revision, revisions: readonly Revision[]): Revision | undefined {
  if (pending.status !== "pending-rollback") return pending;
  const undone = revisions.at(-2);
  return /^(?:failed$|pending-)/.test(undone?.status ?? "") ? undone : undefined;
}

type Holder = { readonly job: string | undefined; readonly execution: string | undefined };

const over = ["finished", "failed", "timed-out", "not-attempted", "cancelled", "unknown"];

async function isOver({ job }: HelmGround, holder: Holder): Promise<boolean> {
  if (holder.job === undefined || holder.execution === undefined) return false;
  // Ours: the agent that ran it was killed, and its helm with it.
  if (holder.execution === job.executionId) return true;
  const params = { job_id: holder.job, execution_id: holder.execution };
  try {
    const how = { scope: "agent", signal: job.signal, giveUpAfterMs: 60_000 } as const;
    const { body } = await job.host.client.call(getExecutionRoute, { params }, how);
    return over.includes(body.status);
  } catch (error) {
    if (error instanceof Refused) return false;
    throw error;
  }
}

async function free(
  { run, helm }: HelmGround,
  { revision }: Revision,
  revisions: readonly Revision[],
): Promise<void> {
  const good = revisions.findLast(({ status }) => ["deployed", "superseded"].includes(status));
  const doing = `The release ${run.name}, which was left pending, cannot be freed`;
  const timeout = ["--timeout", `${Math.ceil(run.waitMs / 1000)}s`];
  if (good === undefined) {
    const args = ["uninstall", run.name, "--wait", ...timeout];
    await askHelm(helm, { key: `recover/${revision}`, args }, doing);
    return;
  }
  const args = ["rollback", run.name, String(good.revision), ...timeout];
  await askHelm(helm, { key: `recover/${revision}`, args }, doing);
}
