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

/** A Job that an earlier start of the agent has made. */
export type FoundPod = { readonly one: ClusterJob; readonly info: PodJobInfo };

/** Has a claimed job done in a pod of its own. */
export function beginInPod(context: ExecutorContext, claimed: Claimed): RunningJob {
  return hold(context, infoOf(claimed), async () => await make(context, claimed));
}

/** Goes on with what an earlier start of the agent has begun. */
export function resumeInPod(context: ExecutorContext, { one, info }: FoundPod): RunningJob {
  return hold(context, info, async () => await Promise.resolve({ one }));
}

/**
 * Gives back what an earlier start of the agent has claimed and, as it seems, never let begin; what has begun after all
 * is followed to its end, or told as lost.
 */
export function giveBackUnbegun(
  context: ExecutorContext,
  { at, info }: { readonly at: ClusterJob["at"]; readonly info: PodJobInfo },
): RunningJob {
  return hold(context, info, async () => await Promise.resolve({ at }));
}

/** The Job; or that none was let go, and why the cluster refuses it, which is no fault of the runner's job. */
type Made =
  | { readonly one: ClusterJob }
  | { readonly refused?: string; readonly at: ClusterJob["at"] };

function hold(context: ExecutorContext, info: PodJobInfo, make: () => Promise<Made>): RunningJob {
  const { local, left } = context;
  const stop = makePodStop(podGraceMs(local.config));
  const done = liveOn(context, { info, stop }, make).then(async (end) => {
    stop.close();
    // It is held until this process is no more: the next start is the same process to the broker.
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

/** Whatever goes wrong here, a pod is not let out of sight: nobody else would tell its end. */
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
      const words = isOver ? "a pod was lost sight of" : "a pod was lost sight of; looking again";
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

/** Undefined where it goes on without this process. */
async function live(context: ExecutorContext, run: PodRun, made: Made): Promise<End | undefined> {
  if ("one" in made) return await follow(context, run, made.one);
  const back = await giveBack(context, run, made.refused);
  if (back !== "too late") {
    await removeUnbegun(context, made.at);
    return back;
  }
  // An answer was lost, and its pod has begun.
  const object = await untilAnswered(context, () => context.own.cluster.get(made.at));
  const one = { at: made.at, uid: object?.metadata.uid ?? "", object: object ?? goneJob(run) };
  return await follow(context, run, one, true);
}

/** A Job that is not there any more; its pods may be, for a while. */
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
    // The next job's pod is made of the same image by the same settings.
    if (end.is === "hopeless" && (trouble === "image_pull" || trouble === "container_config")) {
      context.local.heldClaims.hold(`pods cannot begin: ${words}`);
    }
    return await concludePod(context, run, { one, end });
  }
  // Should its pod begin meanwhile, it finds that the job was given back, and does nothing.
  const back = await giveBack(context, run, end.fault?.words ?? "it takes no pods");
  if (back === "too late") return await follow(context, run, one, true);
  await removeUnbegun(context, one.at);
  return back;
}

/** Whatever the cluster refuses to take as a Job now, it may take later, or another agent's may. */
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
    log.warn({ err: error, ...ids }, "the cluster has no Job for it");
    const words = (error as Error).message.replace(/\.$/, "");
    const at = jobAt(own.namespace, job.metadata.name);
    return { at, refused: error instanceof ApiRefusal ? `it refuses a Job: ${words}` : words };
  }
}

/** Only once the job was given back: until then its pod may have begun. */
async function removeUnbegun({ own, local }: ExecutorContext, at: ClusterJob["at"]): Promise<void> {
  try {
    const { uid } = (await own.cluster.get(at))?.metadata ?? {};
    if (uid !== undefined) await own.cluster.remove(at, uid);
  } catch (err) {
    local.log.warn({ err, job: at.ref.name }, "a Job that was not begun is left in the cluster");
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
 * Nothing of it has begun: the broker gives it to whoever has room, and this agent asks for none for a while if the
 * cluster refused it.
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
