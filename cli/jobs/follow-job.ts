import { setTimeout as sleep } from "node:timers/promises";
import {
  BrokerUnreachable,
  RequestRefused,
  type RouteAnswer,
} from "../../shared/api/call-route.ts";
import { waitForJobRoute } from "../../shared/api/follow-runner-jobs.ts";
import { getLogStreamRoute, type LogRecord, type LogStream } from "../../shared/api/log-streams.ts";
import { getJobRoute } from "../../shared/api/read-runner-jobs.ts";
import type { RunnerJob } from "../../shared/api/runner-job.ts";
import { isFinal } from "../../shared/runner-job.ts";
import type { Caller } from "../command.ts";
import type { Connection } from "../connection.ts";
import { followRecords } from "../logs/follow-records.ts";

export type Following = {
  readonly call: Caller;
  readonly connection: Connection;
  readonly onRecord: (record: LogRecord) => void;
  /** Why it has not begun yet, when that takes a while; once. */
  readonly onWaiting: (job: RunnerJob) => void;
  /** What is a while; 3 s, unless told. */
  readonly patienceMs?: number;
};

const poll = "25s";
const pauseMs = 500;
/** So long a broker may be away before it is given up. */
const absenceMs = 60_000;
/** So long the end of the log may come after the end of the job. */
const lingerMs = 10_000;
const lookMs = 100;
const usualPatienceMs = 3_000;

/** Tells a job's log as it comes, until the job has ended and its log with it; answers the job as it ended. */
export async function followJob(
  following: Following,
  job: Pick<RunnerJob, "id" | "log_stream_id">,
): Promise<RouteAnswer<typeof getJobRoute>> {
  const { call, connection, onRecord } = following;
  const over = new AbortController();
  const streamId = job.log_stream_id;
  const seen = { records: 0 };
  const tell = async (): Promise<void> => {
    if (streamId === null) return;
    const asked = { params: { log_stream_id: streamId }, query: {}, signal: over.signal };
    for await (const record of followRecords(connection, asked)) {
      if (record.notice === undefined) seen.records += 1;
      onRecord(record);
    }
  };
  const told = tell();
  const waiting = sayIfItWaits(following, job.id, over.signal);
  try {
    await awaitEnd(call, job.id);
    const params = { params: { job_id: job.id } };
    const ended = await call(getJobRoute, params);
    if (ended.body.execution_count > 0 && streamId !== null) {
      const whole = awaitWhole(call, { streamId, seen }, over.signal);
      await Promise.race([
        told,
        whole,
        sleep(lingerMs, undefined, { signal: over.signal }).catch(() => {}),
      ]);
    }
    return ended.body.logs_complete ? ended : await call(getJobRoute, params);
  } finally {
    over.abort();
    await Promise.all([told, waiting]);
  }
}

type Told = { readonly streamId: string; readonly seen: { readonly records: number } };

/** Resolves when as many records were told as the stream has: sooner than the stream is closed. */
async function awaitWhole(
  call: Caller,
  { streamId, seen }: Told,
  signal: AbortSignal,
): Promise<void> {
  const params = { log_stream_id: streamId };
  while (!signal.aborted) {
    const answer = await call(getLogStreamRoute, { params }).catch(() => undefined);
    if (answer !== undefined && isWhole(answer.body, seen.records)) return;
    await sleep(lookMs, undefined, { signal }).catch(() => {});
  }
}

function isWhole(stream: LogStream, seen: number): boolean {
  const hasGaps = stream.missing_records > 0 || stream.dropped_records > 0;
  return !hasGaps && stream.records > 0 && seen >= stream.records;
}

async function awaitEnd(call: Caller, jobId: string): Promise<void> {
  let heardMs = Date.now();
  for (;;) {
    const askedMs = Date.now();
    try {
      const input = { params: { job_id: jobId }, query: { wait: poll } };
      if (isFinal((await call(waitForJobRoute, input)).body.status)) return;
      heardMs = Date.now();
    } catch (error) {
      if (!isAbsence(error) || Date.now() - heardMs > absenceMs) throw error;
    }
    if (Date.now() - askedMs < pauseMs) await sleep(pauseMs);
  }
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

function isAbsence(error: unknown): boolean {
  if (error instanceof BrokerUnreachable) return true;
  return error instanceof RequestRefused && (error.status === 503 || error.status === 429);
}
