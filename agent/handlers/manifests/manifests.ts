import type { Handler, Job, JobResult } from "../../jobs/handler.ts";
import { openProgress } from "../../jobs/open-progress.ts";
import { approveDiff } from "../../kubernetes/approve-diff.ts";
import { approvedChanges, isApproved } from "../../kubernetes/approved.ts";
import { countsOf, countWords, type Diff } from "../../kubernetes/change.ts";
import { identifyCluster } from "../../kubernetes/cluster-identity.ts";
import { deployFailure } from "../../kubernetes/deploy-failure.ts";
import { diffContents, diffLines } from "../../kubernetes/diff-contents.ts";
import { digestOfDiff } from "../../kubernetes/digest-of-diff.ts";
import { explainRefusal } from "../../kubernetes/explain-refusal.ts";
import { refKey } from "../../kubernetes/kube-object.ts";
import { removePullSecret } from "../../kubernetes/pull-secret.ts";
import { applyChanges, awaitApplied } from "./apply-changes.ts";
import { deleteObjects } from "./delete-objects.ts";
import { entryOf } from "./inventory.ts";
import { openManifestContext, type ManifestContext } from "./manifest-context.ts";
import { type ManifestRun, readManifestRun } from "./manifest-run.ts";
import { expectMeant, type Meant, meantBy } from "./meant-changes.ts";
import { planApply, planTeardown } from "./plan-changes.ts";

/** Deploys of Kubernetes manifests: planned as a diff, applied as approved, torn down. */
export const manifests: Handler = {
  types: ["kubernetes-manifest-deploy"],
  stopGraceMs: 30_000,
  validate: (plan, info) => {
    const run = readManifestRun(plan, info);
    return {
      needsDirectories: true,
      asksApproval: true,
      timeoutMs: run.timeoutMs,
      execute: async (job) => await deploy(job, run),
    };
  },
};

async function deploy(job: Job, run: ManifestRun): Promise<JobResult> {
  const context = await openManifestContext(job, run);
  try {
    if (run.action === "plan" || run.action === "plan-teardown") {
      const diff = await (run.action === "plan" ? planApply(context) : planTeardown(context));
      sayDiff(job, diff);
      const [cluster, unremembered] = await Promise.all([
        identifyCluster(context.cluster),
        countUnremembered(context),
      ]);
      return {
        description: `The plan: ${countWords(diff)}.`,
        outputs: { counts: countsOf(diff), fingerprint: digestOfDiff(diff) },
        result: diffContents(job, diff, { cluster, unremembered }),
      };
    }
    return await carryOut(context);
  } catch (error) {
    throw explainRefusal(error, "A request to the cluster");
  } finally {
    context.cluster.close();
  }
}

/** Objects without changes may still have to be applied, to be recorded in the inventory. */
async function countUnremembered({ inventory, objects, run }: ManifestContext): Promise<number> {
  if (inventory === undefined || run.action !== "plan") return 0;
  const known = new Set((await inventory.read()).map(refKey));
  return objects.filter(({ at }) => !known.has(refKey(at.ref))).length;
}

const mostLines = 500;

function sayDiff(job: Job, diff: Diff): void {
  const lines = diffLines(diff, job.redact);
  for (const [at, line] of lines.slice(0, mostLines).entries()) {
    job.log(line, "info", "diff", `diff ${at}`);
  }
  if (lines.length > mostLines) {
    job.log(
      `… and ${lines.length - mostLines} more lines, in the plan's contents.`,
      "info",
      "diff",
    );
  }
}

async function carryOut(context: ManifestContext): Promise<JobResult> {
  const { job, run } = context;
  const progress = openProgress(job);
  const op = run.approved?.op ?? "apply";
  // The changes are computed here: the plan's own text must not decide what is shown for approval.
  const isAsked = job.agent.config.requireApproval !== undefined;
  const taken = isAsked ? undefined : approvedChanges(run.approved);
  // A partly applied change differs from what was approved, so it is compared only once.
  let isTakenUp = true;
  const { done, counts } = await job.once("judged", async () => {
    isTakenUp = false;
    progress.phase("diff", "in-progress");
    const diff = await (op === "apply" ? planApply(context, taken) : planTeardown(context));
    progress.phase("diff", "finished", countWords(diff));
    sayDiff(job, diff);
    judge(run, diff);
    const known = new Map(diff.changes.map((change) => [refKey(change.ref), change]));
    await approveDiff(job, diff, async () =>
      op === "apply" ? await planApply(context, known) : await planTeardown(context),
    );
    return { done: meantBy(diff), counts: countsOf(diff) };
  });
  progress.phase(op, "in-progress");
  const changes: readonly Meant[] = done;
  if (op === "apply") {
    await job.once("applied", async () => {
      if (isTakenUp && (run.approved !== undefined || isAsked)) await expectMeant(context, changes);
      await applyChanges(context, changes);
    });
    await awaitApplied(context);
  } else await tearDown(context, changes);
  progress.phase(op, "finished");
  const { create, update, unchanged, delete: deleted, keep: kept } = counts;
  const what = { created: create, updated: update, unchanged, deleted, kept };
  const told = Object.entries(what).filter(([, count]) => (count ?? 0) > 0);
  const words = told.map(([name, count]) => `${count} ${name}`).join(", ");
  return {
    description: words === "" ? "There was nothing to do." : `${words}.`,
    outputs: { ...what, namespace: context.namespace },
  };
}

/** Throws JobFailure when the changes are not those that were approved, or cannot be made. */
function judge({ approved }: ManifestRun, diff: Diff): void {
  const [conflict] = diff.changes.filter(({ action }) => action === "conflict");
  if (approved !== undefined && !isApproved(diff, approved)) {
    throw deployFailure(
      "The changes are not what was approved: the manifest or the cluster has changed since. Make a new plan.",
      "plan_stale",
    );
  }
  if (conflict === undefined) return;
  const { ref, conflicts } = conflict;
  const words = conflicts.map(({ manager, field }) => `${field} is managed by ${manager}`);
  throw deployFailure(
    `${ref.kind} ${ref.namespace === "" ? "" : `${ref.namespace}/`}${ref.name}: others manage what it sets: ` +
      `${words.join(", ")}. force_conflicts in the plan takes it over.`,
    "conflict",
  );
}

async function tearDown(context: ManifestContext, changes: readonly Meant[]): Promise<void> {
  const deletes = changes.filter(({ action }) => action === "delete").map(({ ref }) => ref);
  const known = new Map(((await context.inventory?.read()) ?? []).map((one) => [refKey(one), one]));
  const entries = deletes.map((ref) => known.get(refKey(ref)) ?? entryOf(ref));
  await deleteObjects(context, entries, "nothing was applied");
  await context.inventory?.remove();
  await removePullSecret(context, context.run.pullSecret, context);
}
