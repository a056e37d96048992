import { setTimeout as sleep } from "node:timers/promises";
import { bePatient } from "../../client/waits/be-patient.ts";
import { lookUntil } from "../../client/waits/look-until.ts";
import { waitForJobRoute } from "../../shared/api/follow-runner-jobs.ts";
import { getJobRoute } from "../../shared/api/read-runner-jobs.ts";
import type { RouteAnswer } from "../../shared/api/route.ts";
import type { RunnerJob } from "../../shared/api/runner-job.ts";
import { isFinal } from "../../shared/runner-job.ts";
import type { Caller } from "../command.ts";
import { restOfLog } from "./log-rest.ts";
import { progressText } from "./progress-text.ts";
import { type Telling, tellLog } from "./tell-log.ts";

export type Following = Telling & {
  /** Why it has not begun yet, when that takes a while; once. */
  readonly onWaiting: (job: RunnerJob) => void;
  /** How far it is, in one line, whenever that is another; undefined once it has ended. Where nobody asks, nobody looks. */
  readonly onProgress?: ((line: string | undefined) => void) | undefined;
  /** What is a while; 3 s, unless told. */
  readonly patienceMs?: number;
};

const poll = "25s";
const usualPatienceMs = 3_000;
const lookEveryMs = 2_000;

/**
 * Tells a job's log as it comes, until the job has ended and its log with it, that of a cancelled one when what ran has
 * stopped; answers the job as it ended. A log that is lost on the way changes nothing in that.
 */
export async function followJob(
  following: Following,
  job: Pick<RunnerJob, "id" | "log_stream_id">,
): Promise<RouteAnswer<typeof getJobRoute>> {
  const { call } = following;
  const over = new AbortController();
  const log = job.log_stream_id === null ? undefined : tellLog(following, job.log_stream_id);
  const beside = [
    sayIfItWaits(following, job.id, over.signal),
    tellProgress(following, job.id, over.signal),
  ];
  const getJob = async () => await call(getJobRoute, { params: { job_id: job.id } });
  try {
    await awaitEnd(call, job.id);
    following.onProgress?.(undefined);
    const ended = await bePatient(getJob);
    if (ended.body.execution_count > 0) await log?.toItsEnd(restOfLog(call, ended.body, getJob));
    return ended.body.logs_complete ? ended : await getJob().catch(() => ended);
  } finally {
    over.abort();
    following.onProgress?.(undefined);
    await Promise.all([log?.stop(), ...beside]);
  }
}

async function awaitEnd(call: Caller, jobId: string): Promise<void> {
  const input = { params: { job_id: jobId }, query: { wait: poll } };
  const ask = async () => (await call(waitForJobRoute, input)).body;
  await lookUntil({
    look: async () => await bePatient(ask),
    isWanted: ({ status }) => isFinal(status),
  });
}

async function sayIfItWaits(
  { call, onWaiting, patienceMs = usualPatienceMs }: Following,
  jobId: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    await sleep(patienceMs, undefined, { signal });
    const { body } = await call(getJobRoute, { params: { job_id: jobId } });
    if (body.waiting != null && !signal.aborted) onWaiting(body);
  } catch {
    // It has ended, or the broker is away: whoever follows hears of both.
  }
}

async function tellProgress(
  { call, onProgress }: Following,
  jobId: string,
  signal: AbortSignal,
): Promise<void> {
  if (onProgress === undefined) return;
  for (;;) {
    await sleep(lookEveryMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    // While the broker is away, what was known last stays.
    const answer = await call(getJobRoute, { params: { job_id: jobId } }).catch(() => undefined);
    const progress = answer?.body.executions?.at(-1)?.progress;
    if (progress == null || signal.aborted || isFinal(answer?.body.status ?? "queued")) continue;
    onProgress(progressText(progress).replaceAll("\n", "; "));
  }
}
