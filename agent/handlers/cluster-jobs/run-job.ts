import { formatDuration } from "../../../shared/duration.ts";
import { askApproval } from "../../approval/ask-approval.ts";
import { type ClusterJob, clusterJobName, jobAt } from "../../cluster-jobs/cluster-job.ts";
import { followClusterJob, type FollowedEnd } from "../../cluster-jobs/follow-cluster-job.ts";
import { followLogs, type LogFollower } from "../../cluster-jobs/follow-logs.ts";
import type { JobLook } from "../../cluster-jobs/judge-cluster-job.ts";
import { makeClusterJob, type NewClusterJob } from "../../cluster-jobs/make-cluster-job.ts";
import { patiently } from "../../cluster-jobs/retry-while-unreachable.ts";
import type { Job, JobResult } from "../../jobs/handler.ts";
import type { JobFailure } from "../../jobs/job-failure.ts";
import { causeOf } from "../../jobs/stop-cause.ts";
import { ApiRefusal } from "../../kubernetes/api-refusal.ts";
import { deployFailure } from "../../kubernetes/deploy-failure.ts";
import { explainRefusal } from "../../kubernetes/explain-refusal.ts";
import { type KubeObject, refWords } from "../../kubernetes/kube-object.ts";
import { keepPullSecret } from "../../kubernetes/pull-secret.ts";
import { warningsOf } from "../../kubernetes/warnings-of.ts";
import { removeOwn, removeSaying } from "./clean-up-job.ts";
import type { JobDeployContext } from "./job-deploy-context.ts";
import { failureOf, outputsOf } from "./job-end.ts";
import { judge } from "./judge.ts";
import { shownJob } from "./plan-job.ts";
import { removeFormer } from "./remove-former.ts";
import { renderJob, whatIsRun } from "./render-job.ts";

const lastLinesMs = 5_000;

/**
 * Runs the Job to its end, once even if the agent restarts, with all its output in the job's log. Otherwise the Job is
 * deleted, or the failure says what is left of it. Throws JobFailure.
 */
export async function runJob(context: JobDeployContext): Promise<JobResult> {
  const { job, run, cluster, namespace } = context;
  await job.once("judged", async () => {
    judge(run, whatIsRun(run, context));
    warnOfSecrets(job, [...run.cmd, ...run.args]);
    await askApproval(job, shownJob(job, renderJob(run, namespace, job)));
    return true;
  });
  await job.once("former", async () => {
    await removeFormer(context);
    await keepPullSecret(context, run.pullSecret, { namespace });
    return true;
  });
  // Rendered now, as its own time limit is what is left after the approval.
  const wanted = renderJob(run, namespace, job);
  const uid = await job.once("made", async () => await make(context, wanted));
  const at = jobAt(namespace, wanted.metadata.name);
  job.log(`${refWords(at.ref)} was created.`, "info", "", "made");
  const one = { at, uid, object: wanted };
  const logs = followLogs(job, cluster, namespace);
  try {
    const end = await job.once("end", async () => {
      // Not earlier: once its end is known, this agent may have deleted it.
      const live = await findMade(context, wanted, uid);
      return await follow(context, live, logs);
    });
    await job.once("read", async () => {
      logs.look(end.look);
      await logs.finish();
      return true;
    });
    return await conclude(context, one, end);
  } finally {
    await logs.finish(0);
  }
}

function warnOfSecrets(job: Job, words: readonly string[]): void {
  if (words.every((word) => job.redact(word) === word)) return;
  const told =
    "cmd or args contain what looks like a secret: everyone who may read Jobs in the cluster can see it. Use secret_env_vars.";
  job.log(told, "warn", "", "secret-args");
}

/** Creates the Job and returns its uid. */
async function make(context: JobDeployContext, wanted: KubeObject): Promise<string> {
  let isMade = false;
  const onMade = (): void => void (isMade = true);
  return await orRemove(
    context,
    () => isMade,
    async () =>
      (await makeClusterJob(context.cluster, { ...planned(context, wanted), onMade })).uid,
  );
}

/** The existing Job; one that an earlier agent left incomplete is completed. */
async function findMade(
  context: JobDeployContext,
  wanted: KubeObject,
  uid: string,
): Promise<ClusterJob> {
  const known = { ...planned(context, wanted), uid };
  const find = async (): Promise<ClusterJob> =>
    await patiently(context.job.signal, () => makeClusterJob(context.cluster, known));
  return await orRemove(context, () => true, find);
}

const planned = ({ run }: JobDeployContext, job: KubeObject): NewClusterJob => ({
  job,
  ...(Object.keys(run.env).length > 0 && { secret: run.env }),
});

/**
 * Deletes a Job that may be incomplete: one that waits for its Secret, or whose creation got no answer. If that fails,
 * answers what may be left.
 */
async function orRemove<T>(
  context: JobDeployContext,
  isMade: () => boolean,
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const { job, run, namespace } = context;
    const words = refWords(jobAt(namespace, clusterJobName(run.prefix, job.executionId)).ref);
    const became = await removeOwn(context).catch((why: unknown) => {
      const areRefusals = error instanceof ApiRefusal && why instanceof ApiRefusal;
      if (areRefusals && !isMade()) return undefined; // without permission nothing was created
      return `${words} may exist nevertheless${because(why)}: delete it by hand.`;
    });
    if (became !== undefined) job.log(became, "warn");
    throw explainRefusal(error, words);
  }
}

async function follow(
  context: JobDeployContext,
  one: ClusterJob,
  logs: LogFollower,
): Promise<FollowedEnd> {
  const { job, run, cluster } = context;
  let end: FollowedEnd;
  try {
    end = await followClusterJob(cluster, one, {
      signal: job.signal,
      startWithinMs: run.startMs,
      onLook: (look) => {
        logs.look(look);
        tell(job, look);
      },
    });
  } catch (error) {
    const why = explainRefusal(error, refWords(one.at.ref));
    job.log(await remove(context, one), "warn");
    throw why;
  }
  if (end.is === "stopped") throw await stopped(context, one, { end, logs });
  return end;
}

function tell(job: Job, { pods, fault, phase, isBlind }: JobLook): void {
  if (isBlind === true) {
    const words = "This job may not list pods in the cluster: their output is not shown.";
    job.log(words, "warn", "", "blind");
  }
  for (const { uid, name, node, phase: of } of pods) {
    if (of === "Running") job.log(`Pod ${name} runs on ${node}.`, "info", "", `runs ${uid}`);
  }
  if (phase !== "waiting" || fault === undefined) return;
  const words = job.redact(fault.words);
  job.log(`Waiting: ${words}.`, "info", "wait", `waits ${words}`); // its key is stored on disk
}

const clocks: ReadonlySet<string> = new Set(["timed-out", "deadline", "job-timeout"]);

type Stopped = { readonly end: FollowedEnd; readonly logs: LogFollower };

async function stopped(
  context: JobDeployContext,
  one: ClusterJob,
  { end, logs }: Stopped,
): Promise<JobFailure> {
  const became = await remove(context, one);
  await logs.finish(lastLinesMs);
  const isLate = clocks.has(causeOf(context.job.signal).kind);
  const held = end.fault === undefined ? "" : ` By then: ${end.fault.words}.`;
  return deployFailure(`${became}${held}`, isLate ? "timeout" : "canceled", {
    resources: [refWords(one.at.ref)],
    outputs: outputsOf(one, end),
  });
}

/** Deletes the Job and answers what became of it. Never rejects, as it runs after another failure. */
async function remove(context: JobDeployContext, one: ClusterJob): Promise<string> {
  const name = refWords(one.at.ref);
  try {
    return await removeSaying(context, one);
  } catch (error) {
    return `${name} could not be deleted${because(error)}: delete it by hand.`;
  }
}

function because(error: unknown): string {
  const why = (error as Partial<Error> | undefined)?.message ?? "no time was left";
  return ` (${why.replace(/\.$/, "")})`;
}

async function conclude(
  context: JobDeployContext,
  one: ClusterJob,
  end: FollowedEnd,
): Promise<JobResult> {
  const { job, run, cluster } = context;
  const name = refWords(one.at.ref);
  if (end.is !== "succeeded") {
    for (const ref of refsOf(one, end)) {
      for (const words of await warningsOf(cluster, ref))
        job.log(`${refWords(ref)}: ${words}`, "warn", "", `warned ${job.redact(words)}`);
    }
  }
  const goes = end.is === "hopeless" || (run.keepMs === 0 && end.look.phase !== "gone");
  const stays = `It stays in the cluster for ${formatDuration(run.keepMs * 1e6)}.`;
  const became = end.look.phase === "gone" ? "" : goes ? await remove(context, one) : stays;
  if (end.is !== "succeeded") throw failureOf(one, end, became);
  if (became !== "") job.log(became, "info", "", "became");
  return { description: `${name} succeeded.`, outputs: outputsOf(one, end) };
}

const mostPods = 5;

function refsOf({ at }: ClusterJob, { look }: FollowedEnd) {
  const pods = look.pods.slice(-mostPods).map(({ name }) => ({
    apiVersion: "v1",
    kind: "Pod",
    namespace: at.ref.namespace,
    name,
  }));
  return [at.ref, ...pods];
}
