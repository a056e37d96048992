import { getExecutionRoute } from "../../shared/api/read-runner-job-executions.ts";
import { isJobOver } from "../client/broker-errors.ts";
import { pause } from "../client/pause.ts";
import type { ClusterJob } from "../cluster-jobs/cluster-job.ts";
import { abandoned, type End, endOf } from "../jobs/record-end.ts";
import { stopRow } from "../jobs/stop-cause.ts";
import { isRefusal } from "../kubernetes/api-refusal.ts";
import type { PendingResult } from "../spool/result-outbox.ts";
import type { ExecutorContext, PodRun } from "./executor-context.ts";
import type { PodEnd } from "./follow-pod.ts";
import { marks } from "./pod-job-info.ts";

type Ended = { readonly one: ClusterJob; readonly end: PodEnd };

/**
 * Asks the broker whether the pod has reported the job's end. If it has not, it never will: then the end is reported
 * for it, with what the cluster says. After that nobody follows the Job.
 */
export async function concludePod(
  context: ExecutorContext,
  run: PodRun,
  ended: Ended,
): Promise<End | undefined> {
  const status = await endAtBroker(context, run);
  if (status === "left") return undefined;
  const end =
    status === "over"
      ? abandoned
      : status === "open"
        ? await tellFor(context, run, ended.end)
        : { status };
  if (context.left.aborted) return undefined; // it may not be reported yet: the next start does that
  await settle(context, ended);
  return end;
}

/**
 * The status in which the execution ended; `open` when it has not ended, `over` when it is no longer this agent's,
 * `left` when the agent ends first.
 */
async function endAtBroker(
  { connected, left }: ExecutorContext,
  { info: { job_id, execution_id } }: PodRun,
): Promise<string> {
  const { client } = await Promise.race([connected, untilLeft(left)]);
  const input = { params: { job_id, execution_id } };
  try {
    const how = { scope: "job", signal: left } as const;
    const { body } = await client.call(getExecutionRoute, input, how);
    return body.finished_at === null ? "open" : body.status;
  } catch (error) {
    if (left.aborted) return "left";
    if (isJobOver(error)) return "over";
    throw error;
  }
}

/** Rejects when the agent ends before it is connected to a broker. */
async function untilLeft(left: AbortSignal): Promise<never> {
  return await new Promise((_, reject) => {
    const gone = (): void => reject(new Error("the agent is shutting down"));
    if (left.aborted) gone();
    else left.addEventListener("abort", gone, { once: true });
  });
}

const lookEveryMs = 200;

/**
 * Reports the end in place of the pod. Until the broker has the report, the next start finds the Job and reports
 * again.
 */
async function tellFor(context: ExecutorContext, run: PodRun, end: PodEnd): Promise<End> {
  const { local, connected, left } = context;
  const { execution_id } = run.info;
  const result = resultFor(run, end);
  await local.results.put(execution_id, result);
  (await connected).deliver();
  while (local.results.list().includes(execution_id) && !left.aborted) {
    await pause(lookEveryMs, left);
  }
  return endOf(result);
}

/** The result of a job whose pod reported none. */
function resultFor({ info, stop }: PodRun, { fault, look }: PodEnd): PendingResult {
  const reason = stop.reason();
  const why = fault?.words ?? "it ended without a known reason";
  const trouble = fault?.trouble ?? "gone";
  const pod = look.pods.at(-1);
  const stopped = reason === undefined ? undefined : stopRow({ kind: reason });
  const isLost = stopped === undefined && look.phase === "gone";
  const lost = `The job is lost: its pod is gone from the cluster and reported no result (${why}). How far it got is unknown.`;
  const ended = `The job's pod reported no result: ${why}.`;
  const words =
    stopped === undefined
      ? isLost
        ? lost
        : ended
      : `${stopped.words}; its pod reported no result: ${why}.`;
  const title = isLost ? "The job is lost" : "The job's pod reported no result";
  return {
    job_id: info.job_id,
    finish: {
      status: stopped?.status ?? "failed",
      status_description: words,
      result: {
        success: false,
        error_code: fault?.exitCode || 1,
        error_metadata: {
          reason: stopped?.code ?? (trouble === "oom" ? "oom" : "pod_failed"),
          class: trouble,
          message: words,
          ...(pod !== undefined && { pod: pod.name }),
          ...(pod?.node && { node: pod.node }),
        },
        composite_error: {
          type: `kubernetes.${trouble}`,
          title,
          detail: words,
          retryable: retryableTroubles.has(trouble),
        },
      },
    },
  };
}

/** Faults after which another attempt may succeed. */
const retryableTroubles: ReadonlySet<string> = new Set([
  "evicted",
  "node_lost",
  "disrupted",
  "gone",
]);

/**
 * Deletes a Job that could not start, as it would keep trying; one that has ended is kept for a while, for inspection.
 */
async function settle({ own, local }: ExecutorContext, { one, end }: Ended): Promise<void> {
  const { at, uid } = one;
  try {
    const isOver = end.look.phase === "succeeded" || end.look.phase === "failed";
    const labels = { [marks.settled]: "yes" };
    const spec = { ttlSecondsAfterFinished: Math.ceil(local.config.executorKeep / 1000) };
    if (isOver) await own.cluster.merge(at, { metadata: { uid, labels }, spec });
    else await own.cluster.remove(at, uid);
  } catch (error) {
    if (isRefusal(error, 404) || isRefusal(error, 409)) return; // it is gone, or another Job has its name
    local.log.warn(
      { err: error, job: at.ref.name },
      "failed to mark or delete a Job that has ended",
    );
  }
}
