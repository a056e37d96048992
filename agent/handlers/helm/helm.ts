import type { Handler, Job, JobResult } from "../../jobs/handler.ts";
import { openProgress } from "../../jobs/open-progress.ts";
import { approveDiff } from "../../kubernetes/approve-diff.ts";
import { isApproved } from "../../kubernetes/approved.ts";
import { type Change, countsOf, countWords, type Diff } from "../../kubernetes/change.ts";
import { expectCluster, identifyCluster } from "../../kubernetes/cluster-identity.ts";
import { deployFailure } from "../../kubernetes/deploy-failure.ts";
import { diffContents, diffLines } from "../../kubernetes/diff-contents.ts";
import { digestOfDiff } from "../../kubernetes/digest-of-diff.ts";
import { explainRefusal } from "../../kubernetes/explain-refusal.ts";
import { keepPullSecret, removePullSecret } from "../../kubernetes/pull-secret.ts";
import { diffAgain, expectUntouched, type Shown } from "./diff-again.ts";
import { diffUninstall, diffUpgrade } from "./diff-release.ts";
import { type HelmContext, openHelmContext } from "./helm-context.ts";
import { type HelmRun, readHelmRun } from "./helm-run.ts";
import { openChart } from "./open-chart.ts";
import { recoverRelease } from "./recover-release.ts";
import { releaseOutputs } from "./release-outputs.ts";
import type { Revision } from "./release-records.ts";
import { listRevisions } from "./releases.ts";
import { askHelm } from "./run-helm.ts";
import { sideBySide } from "./side-by-side.ts";
import { upgradeRelease } from "./upgrade-release.ts";

/** Releases of charts: planned as a diff, installed or upgraded as approved, rolled back on failure, uninstalled. */
export const helm: Handler = {
  types: ["helm-chart-deploy", "runner-helm"],
  stopGraceMs: 75_000, // a minute for helm to mark its release as failed
  validate: (plan, info) => {
    const run = readHelmRun(plan, info);
    return {
      needsDirectories: true,
      asksApproval: true,
      timeoutMs: run.timeoutMs,
      execute: async (job) => await deploy(job, run),
    };
  },
};

async function deploy(job: Job, run: HelmRun): Promise<JobResult> {
  const context = await openHelmContext(job, run);
  try {
    const { approved } = run;
    if (approved !== undefined) expectCluster(approved, await identifyCluster(context.cluster));
    if (run.action === "plan" || run.action === "plan-teardown") return await plan(context);
    const isTeardown = approved?.op === "teardown";
    return await (isTeardown ? uninstall(context) : upgrade(context));
  } catch (error) {
    throw explainRefusal(error, `The release ${run.name}`);
  } finally {
    context.cluster.close();
    context.records.close();
    await context.helm.front?.close();
  }
}

async function plan(context: HelmContext): Promise<JobResult> {
  const isTeardown = context.run.action !== "plan";
  const [chart, revisions] = await sideBySide(
    isTeardown ? Promise.resolve(undefined) : openChart(context),
    listRevisions(context, "history/before"),
  );
  const diff = await (chart === undefined
    ? diffUninstall(context, revisions)
    : diffUpgrade(context, chart, revisions));
  return await planned(context, diff, revisions.at(-1));
}

const mostLines = 500;

/** A release without changes is deployed nevertheless if its last deployment failed. */
async function planned(
  { job, cluster }: HelmContext,
  diff: Diff,
  last: Revision | undefined,
): Promise<JobResult> {
  sayDiff(job, diff);
  const release = { revision: last?.revision ?? 0, status: last?.status ?? "" };
  return {
    description: `The plan: ${countWords(diff)}.`,
    outputs: { counts: countsOf(diff), fingerprint: digestOfDiff(diff) },
    result: diffContents(job, diff, { cluster: await identifyCluster(cluster), release }),
  };
}

function sayDiff(job: Job, diff: Diff): void {
  const lines = diffLines(diff, job.redact).slice(0, mostLines);
  for (const [at, line] of lines.entries()) job.log(line, "info", "diff", `diff ${at}`);
}

type Judged = { readonly done: readonly Pick<Change, "action" | "ref">[] };

/** A partly applied change differs from what was approved, so it is compared, and approval requested, only once. */
async function judgeOnce(
  context: HelmContext,
  revisions: readonly Revision[],
  diffOf: Shown["diffOf"],
): Promise<Judged> {
  const { job, run } = context;
  return await job.once("judged", async () => {
    const diff = await diffOf("");
    sayDiff(job, diff);
    if (run.approved !== undefined && !isApproved(diff, run.approved)) {
      throw deployFailure(
        "The changes are not what was approved: the chart, its values or the release has changed since. Make a new plan.",
        "plan_stale",
      );
    }
    const shown = { diff, revisions, diffOf };
    await approveDiff(job, diff, async () => await diffAgain(context, shown));
    return { done: diff.changes.map(({ action, ref }) => ({ action, ref })) };
  });
}

async function upgrade(context: HelmContext): Promise<JobResult> {
  const { job, run } = context;
  const progress = openProgress(job);
  const [chart, found] = await sideBySide(
    openChart(context),
    listRevisions(context, "history/before"),
  );
  const revisions = await job.once("revisions", async () => await recoverRelease(context, found));
  const diffOf = async (look: string): Promise<Diff> =>
    await diffUpgrade(context, chart, revisions, look);
  const { done } = await judgeOnce(context, revisions, diffOf);
  await expectUntouched(context, revisions, "upgrade");
  await keepPullSecret(context, run.pullSecret, run);
  progress.phase("upgrade", "in-progress");
  const release = await upgradeRelease(context, chart, { revisions, changes: done });
  progress.phase("upgrade", "finished");
  const outputs = await releaseOutputs(context, chart, release);
  const what = revisions.length === 0 ? "installed" : "upgraded";
  return { description: `${run.name} is ${what}: revision ${release.version}.`, outputs };
}

async function uninstall(context: HelmContext): Promise<JobResult> {
  const { job, run, helm } = context;
  const found = await listRevisions(context, "history/before");
  const revisions = await job.once("revisions", async () => await recoverRelease(context, found));
  await judgeOnce(context, revisions, async () => await diffUninstall(context, revisions));
  await expectUntouched(context, revisions, "uninstall");
  if (revisions.length === 0) {
    await removePullSecret(context, run.pullSecret, run);
    return { description: `There is no release ${run.name}.` };
  }
  const timeout = `${Math.ceil(run.waitMs / 1000)}s`;
  const args = ["uninstall", run.name, "--wait", "--ignore-not-found", "--timeout", timeout];
  await askHelm(helm, { key: "uninstall", args }, `The release ${run.name} cannot be uninstalled`);
  await removePullSecret(context, run.pullSecret, run);
  return { description: `${run.name} is uninstalled.`, outputs: { namespace: run.namespace } };
}
