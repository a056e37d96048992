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
 * Asks the broker whether the pod has told the job's end; if it has not, it never will, and the end is told for it, with
 * what the cluster says. The Job is left alone from then on.
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
  if (context.left.aborted) return undefined; // it may not be told yet: the next start sees to it
  await settle(context, ended);
  return end;
}

/** The status in which the execution ended; `open` when it has not, `over` when it is nobody's. */
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

/** Rejects when the agent goes before it has found a broker. */
async function untilLeft(left: AbortSignal): Promise<never> {
  return await new Promise((_, reject) => {
    const gone = (): void => reject(new Error("the agent goes"));
    if (left.aborted) gone();
    else left.addEventListener("abort", gone, { once: true });
  });
}

const lookEveryMs = 200;

/** Until the broker has it, the Job is what the next start would find. */
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

/** What nobody else can say any more. */
function resultFor({ info, stop }: PodRun, { fault, look }: PodEnd): PendingResult {
  const reason = stop.reason();
  const why = fault?.words ?? "its pod ended without telling how";
  const trouble = fault?.trouble ?? "gone";
  const pod = look.pods.at(-1);
  const stopped = reason === undefined ? undefined : stopRow({ kind: reason });
  const isLost = stopped === undefined && look.phase === "gone";
  const lost = `The job is lost: its pod is gone from the cluster, and told no end (${why}). Nobody knows how far it came.`;
  const ended = `The job's pod did not end it: ${why}.`;
  const words =
    stopped === undefined
      ? isLost
        ? lost
        : ended
      : `${stopped.words}; its pod did not say how it ended: ${why}.`;
  const title = isLost ? "The job is lost" : "The job's pod did not end it";
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
          retryable: mayGoWell.has(trouble),
        },
      },
    },
  };
}

/** The same again may be luckier. */
const mayGoWell: ReadonlySet<string> = new Set(["evicted", "node_lost", "disrupted", "gone"]);

/** Who could not begin would go on trying; what has ended is kept for a while, for people. */
async function settle({ own, local }: ExecutorContext, { one, end }: Ended): Promise<void> {
  const { at, uid } = one;
  try {
    const isOver = end.look.phase === "succeeded" || end.look.phase === "failed";
    const labels = { [marks.settled]: "yes" };
    const spec = { ttlSecondsAfterFinished: Math.ceil(local.config.executorKeep / 1000) };
    if (isOver) await own.cluster.merge(at, { metadata: { uid, labels }, spec });
    else await own.cluster.remove(at, uid);
  } catch (error) {
    if (isRefusal(error, 404) || isRefusal(error, 409)) return; // it is gone, or another's
    local.log.warn({ err: error, job: at.ref.name }, "a Job that has ended was not marked so");
  }
}
