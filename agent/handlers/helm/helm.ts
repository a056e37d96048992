import type { Handler, Job, Produced } from "../../jobs/handler.ts";
import { openProgress } from "../../jobs/open-progress.ts";
import { isApproved } from "../../kubernetes/approved.ts";
import {
  type Change,
  countsOf,
  countWords,
  type Diff,
  diffContents,
  diffLines,
} from "../../kubernetes/change.ts";
import { expectCluster, identifyCluster } from "../../kubernetes/cluster-identity.ts";
import { consentToDiff } from "../../kubernetes/consent-to-diff.ts";
import { deployFailure } from "../../kubernetes/deploy-failure.ts";
import { digestOfDiff } from "../../kubernetes/digest-of-diff.ts";
import { explainRefusal } from "../../kubernetes/explain-refusal.ts";
import { diffAgain, expectUntouched, type Shown } from "./diff-again.ts";
import { diffUninstall, diffUpgrade } from "./diff-release.ts";
import { type HelmGround, openChart, openHelmGround } from "./helm-ground.ts";
import { type HelmRun, readHelmRun } from "./helm-run.ts";
import { recoverRelease } from "./recover-release.ts";
import { releaseOutputs } from "./release-outputs.ts";
import { listRevisions, type Revision } from "./releases.ts";
import { askHelm } from "./run-helm.ts";
import { sideBySide } from "./side-by-side.ts";
import { upgradeRelease } from "./upgrade-release.ts";

/** Releases of charts: planned as a diff, installed or upgraded as approved, rolled back where that fails, uninstalled. */
export const helm: Handler = {
  types: ["helm-chart-deploy", "runner-helm"],
  restMs: 75_000, // a minute for helm to mark its release as failed
  validate: (plan, facts) => {
    const run = readHelmRun(plan, facts);
    return {
      usesHost: true,
      asksConsent: true,
      timeoutMs: run.timeoutMs,
      execute: async (job) => await deploy(job, run),
    };
  },
};

async function deploy(job: Job, run: HelmRun): Promise<Produced> {
  const ground = await openHelmGround(job, run);
  try {
    const { approved } = run;
    if (approved !== undefined) expectCluster(approved, await identifyCluster(ground.cluster));
    if (run.action === "plan" || run.action === "plan-teardown") return await plan(ground);
    const isTeardown = approved?.op === "teardown";
    return await (isTeardown ? uninstall(ground) : upgrade(ground));
  } catch (error) {
    throw explainRefusal(error, `The release ${run.name}`);
  } finally {
    ground.cluster.close();
    ground.records.close();
    await ground.helm.front?.close();
  }
}

async function plan(ground: HelmGround): Promise<Produced> {
  const isTeardown = ground.run.action !== "plan";
  const [chart, revisions] = await sideBySide(
    isTeardown ? Promise.resolve(undefined) : openChart(ground),
    listRevisions(ground, "history/before"),
  );
  const diff = await (chart === undefined
    ? diffUninstall(ground, revisions)
    : diffUpgrade(ground, chart, revisions));
  return await planned(ground, diff, revisions.at(-1));
}

const mostLines = 500;

/** What has no changes may have to be deployed all the same, where the last time failed. */
async function planned(
  { job, cluster }: HelmGround,
  diff: Diff,
  last: Revision | undefined,
): Promise<Produced> {
  sayDiff(job, diff);
  const release = { revision: last?.revision ?? 0, status: last?.status ?? "" };
  return {
    description: `The plan: ${countWords(diff)}.`,
    outputs: { counts: countsOf(diff), fingerprint: digestOfDiff(diff) },
    result: diffContents(job, diff, { cluster: await identifyCluster(cluster), release }),
  };
}

function sayDiff(job: Job, diff: Diff): void {
  const lines = diffLines(diff, job.shown).slice(0, mostLines);
  for (const [at, line] of lines.entries()) job.say(line, "info", "diff", `diff ${at}`);
}

type Judged = { readonly done: readonly Pick<Change, "action" | "ref">[] };

/** What is half done differs from what was approved: it is compared, and asked for, once. */
async function judgeOnce(
  ground: HelmGround,
  revisions: readonly Revision[],
  diffOf: Shown["diffOf"],
): Promise<Judged> {
  const { job, run } = ground;
  return await job.once("judged", async () => {
    const diff = await diffOf("");
    sayDiff(job, diff);
    if (run.approved !== undefined && !isApproved(diff, run.approved)) {
      throw deployFailure(
        "What would be done is not what was approved: the chart, its values or the release has changed since. Make the plan anew.",
        "plan_stale",
      );
    }
    const shown = { diff, revisions, diffOf };
    await consentToDiff(job, diff, async () => await diffAgain(ground, shown));
    return { done: diff.changes.map(({ action, ref }) => ({ action, ref })) };
  });
}

async function upgrade(ground: HelmGround): Promise<Produced> {
  const { job, run } = ground;
  const progress = openProgress(job);
  const [chart, found] = await sideBySide(
    openChart(ground),
    listRevisions(ground, "history/before"),
  );
  const revisions = await job.once("revisions", async () => await recoverRelease(ground, found));
  const diffOf = async (look: string): Promise<Diff> =>
    await diffUpgrade(ground, chart, revisions, look);
  const { done } = await judgeOnce(ground, revisions, diffOf);
  await expectUntouched(ground, revisions, "upgrade");
  progress.phase("upgrade", "in-progress");
  const release = await upgradeRelease(ground, chart, { revisions, changes: done });
  progress.phase("upgrade", "finished");
  const outputs = await releaseOutputs(ground, chart, release);
  const what = revisions.length === 0 ? "installed" : "upgraded";
  return { description: `${run.name} is ${what}: revision ${release.version}.`, outputs };
}

async function uninstall(ground: HelmGround): Promise<Produced> {
  const { job, run, helm } = ground;
  const found = await listRevisions(ground, "history/before");
  const revisions = await job.once("revisions", async () => await recoverRelease(ground, found));
  await judgeOnce(ground, revisions, async () => await diffUninstall(ground, revisions));
  await expectUntouched(ground, revisions, "uninstall");
  if (revisions.length === 0) return { description: `There is no release ${run.name}.` };
  const timeout = `${Math.ceil(run.waitMs / 1000)}s`;
  const args = ["uninstall", run.name, "--wait", "--ignore-not-found", "--timeout", timeout];
  await askHelm(helm, { key: "uninstall", args }, `The release ${run.name} cannot be uninstalled`);
  return { description: `${run.name} is uninstalled.`, outputs: { namespace: run.namespace } };
}
