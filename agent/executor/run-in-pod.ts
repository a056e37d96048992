import { giveBackExecutionRoute } from "../../shared/api/report-executions.ts";
import { backoffMs } from "../client/backoff.ts";
import { Refused } from "../client/broker-errors.ts";
import { pause } from "../client/pause.ts";
import { type ClusterJob, jobAt } from "../cluster-jobs/cluster-job.ts";
import { makeClusterJob } from "../cluster-jobs/make-cluster-job.ts";
import { abandoned, type End, givenBack, recordEnd } from "../jobs/record-end.ts";
import type { Claimed } from "../jobs/run-job.ts";
import { ApiRefusal } from "../kubernetes/api-refusal.ts";
import type { KubeObject } from "../kubernetes/kube-object.ts";
import type { RunningJob } from "../running-job.ts";
import { concludePod } from "./conclude-pod.ts";
import type { ExecutorContext, PodRun } from "./executor-context.ts";
import { followPod } from "./follow-pod.ts";
import { infoOf, marks, type PodJobInfo } from "./pod-job-info.ts";
import { podGraceMs, podJob, podSecret } from "./pod-plan.ts";
import { makePodStop } from "./pod-stop.ts";

/** A Job that an earlier process of the agent created. */
export type FoundPod = { readonly one: ClusterJob; readonly info: PodJobInfo };

/** Runs a claimed job in a pod of its own. */
export function beginInPod(context: ExecutorContext, claimed: Claimed): RunningJob {
  return hold(context, infoOf(claimed), async () => await make(context, claimed));
}

/** Continues to follow a Job that an earlier process of the agent started. */
export function resumeInPod(context: ExecutorContext, { one, info }: FoundPod): RunningJob {
  return hold(context, info, async () => await Promise.resolve({ one }));
}

/**
 * Gives back a job that an earlier process of the agent claimed and apparently did not start. If it has started after
 * all, it is followed to its end, or reported as lost.
 */
export function giveBackUnbegun(
  context: ExecutorContext,
  { at, info }: { readonly at: ClusterJob["at"]; readonly info: PodJobInfo },
): RunningJob {
  return hold(context, info, async () => await Promise.resolve({ at }));
}

/** The Job; or that none was started, and why the cluster refuses it, which is not a failure of the runner's job. */
type Made =
  | { readonly one: ClusterJob }
  | { readonly refused?: string; readonly at: ClusterJob["at"] };

function hold(context: ExecutorContext, info: PodJobInfo, make: () => Promise<Made>): RunningJob {
  const { local, left } = context;
  const stop = makePodStop(podGraceMs(local.config));
  const done = liveOn(context, { info, stop }, make).then(async (end) => {
    stop.close();
    // It stays in the list until this process ends: the broker sees the next start as the same process.
    if (left.aborted) await new Promise<never>(() => {});
    if (end !== undefined) recordEnd(local, storedOf(info), end);
  });
  return {
    executionId: info.execution_id,
    jobId: info.job_id,
    group: info.group,
    type: info.type,
    done,
    stop: stop.stop,
  };
}

const afterCrash = { fromMs: 2_000, mostMs: 60_000 };

/** Follows the job's pod whatever goes wrong here: nobody else would report its end. */
async function liveOn(
  context: ExecutorContext,
  run: PodRun,
  make: () => Promise<Made>,
): Promise<End | undefined> {
  const { local, left } = context;
  let made: Made | undefined;
  for (let nth = 0; ; nth++) {
    try {
      made ??= await make();
      return await live(context, run, made);
    } catch (error) {
      if (left.aborted) return undefined;
      const { execution_id } = run.info;
      const isOver = run.stop.reason() !== undefined;
      const words = isOver ? "failed to follow a pod" : "failed to follow a pod; trying again";
      local.log.error({ err: error, execution_id }, words);
      if (isOver) return undefined;
      await pause(backoffMs(nth, afterCrash), left);
    }
  }
}

const storedOf = ({ job_id, execution_id, type, claimed_at_ms }: PodJobInfo) => ({
  job: { id: job_id, type },
  execution_id,
  started_at_ms: claimed_at_ms,
});

/** Undefined when the pod continues without this process. */
async function live(context: ExecutorContext, run: PodRun, made: Made): Promise<End | undefined> {
  if ("one" in made) return await follow(context, run, made.one);
  const back = await giveBack(context, run, made.refused);
  if (back !== "too late") {
    await removeUnbegun(context, made.at);
    return back;
  }
  // An answer of the cluster was lost, and the pod has started.
  const object = await untilAnswered(context, () => context.own.cluster.get(made.at));
  const one = { at: made.at, uid: object?.metadata.uid ?? "", object: object ?? goneJob(run) };
  return await follow(context, run, one, true);
}

/** Stands for a deleted Job, whose pods may still exist for a while. */
function goneJob({ info: { execution_id } }: PodRun): KubeObject {
  const labels = { [marks.execution]: execution_id };
  const spec = { selector: { matchLabels: labels } };
  return { apiVersion: "batch/v1", kind: "Job", metadata: { name: "", labels }, spec };
}

async function follow(
  context: ExecutorContext,
  run: PodRun,
  one: ClusterJob,
  hasBegun = false,
): Promise<End | undefined> {
  const end = await followPod(context, { one, hasBegun }, run.stop);
  if (end.is === "left") return undefined;
  if (end.is !== "heldBack") {
    const { trouble, words } = end.fault ?? {};
    // The next job's pod would use the same image and settings.
    if (end.is === "hopeless" && (trouble === "image_pull" || trouble === "container_config")) {
      context.local.heldClaims.hold(`pods cannot start: ${words}`);
    }
    return await concludePod(context, run, { one, end });
  }
  // If its pod starts meanwhile, it learns that the job was given back, and does nothing.
  const back = await giveBack(context, run, end.fault?.words ?? "it accepts no pods");
  if (back === "too late") return await follow(context, run, one, true);
  await removeUnbegun(context, one.at);
  return back;
}

/** Creates the Job. A refusal is returned: the cluster may accept the Job later, or another agent's cluster may. */
async function make(context: ExecutorContext, claimed: Claimed): Promise<Made> {
  const { local, own, template, connected } = context;
  const { config, log } = local;
  const { runnerId, settings } = await connected;
  const job = podJob({ config, namespace: own.namespace, template }, claimed);
  const secret = podSecret(config, runnerId, { claimed, settings: settings() });
  try {
    return { one: await makeClusterJob(own.cluster, { job, secret }) };
  } catch (error) {
    const ids = { job_id: claimed.job.id, execution_id: claimed.execution.id };
    log.warn({ err: error, ...ids }, "failed to create a job's Job in the cluster");
    const words = (error as Error).message.replace(/\.$/, "");
    const at = jobAt(own.namespace, job.metadata.name);
    return { at, refused: error instanceof ApiRefusal ? `it refuses the Job: ${words}` : words };
  }
}

/** Deletes a Job that has not started, after the runner's job was given back: until then its pod may have started. */
async function removeUnbegun({ own, local }: ExecutorContext, at: ClusterJob["at"]): Promise<void> {
  try {
    const { uid } = (await own.cluster.get(at))?.metadata ?? {};
    if (uid !== undefined) await own.cluster.remove(at, uid);
  } catch (err) {
    local.log.warn({ err, job: at.ref.name }, "failed to delete a Job that had not started");
  }
}

const againMs = 2_000;

async function untilAnswered<T>({ left }: ExecutorContext, ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (left.aborted) throw error;
      await pause(againMs, left);
    }
  }
}

/**
 * Gives back a job that has not started: the broker gives it to an agent that has room. If the cluster refused it,
 * this agent claims no jobs for a while.
 */
async function giveBack(
  { local, connected }: ExecutorContext,
  { info: { job_id, execution_id } }: PodRun,
  refused: string | undefined,
): Promise<End | "too late"> {
  if (refused !== undefined) {
    local.heldClaims.hold(`the cluster has no room for a pod: ${refused}`);
  }
  const { client } = await connected;
  const params = { job_id, execution_id };
  try {
    await client.call(giveBackExecutionRoute, { params, body: {} }, { scope: "job" });
    return givenBack;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return error.code === "too_late_to_give_back" ? "too late" : abandoned;
  }
}
