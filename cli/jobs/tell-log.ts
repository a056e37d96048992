import { setTimeout as sleep } from "node:timers/promises";
import { getLogStreamRoute, type LogRecord, type LogStream } from "../../shared/api/log-streams.ts";
import type { Caller } from "../command.ts";
import type { Connection } from "../connection/connection.ts";
import { explainError } from "../errors/explain-error.ts";
import { followRecords } from "../logs/follow-records.ts";

export type Telling = {
  readonly call: Caller;
  readonly connection: Connection;
  /** The next record is asked for when this one was taken. */
  readonly onRecord: (record: LogRecord) => Promise<void>;
  /** The rest of the log is not told, and why; once at most. */
  readonly onLogLost: (why: string) => void;
  /** How long to wait for the next record once the job has ended; 10 s, unless told. */
  readonly lingerMs?: number;
};

/** What may still come of the log of a job that has ended; neither rejects. */
export type LogRest = {
  /** All of it is stored. */
  readonly isComplete: () => Promise<boolean>;
  /** What ran is still being stopped, and may print for so long without a word in between. */
  readonly isStopping: () => Promise<boolean>;
};

/** A log on its way to its reader. What befalls it is told by `onLogLost`: it says nothing of the job, and never rejects. */
export type ToldLog = {
  /** For after the job's end: resolves when the whole log was told, or nothing comes any more. */
  readonly toItsEnd: (rest: LogRest) => Promise<void>;
  readonly stop: () => Promise<void>;
};

const usualLingerMs = 10_000;
const lookMs = { first: 100, longest: 1_000 };
/** The longest that a broker gives what it stops, and a minute for its last lines. */
const longestStopMs = 11 * 60_000;

/** Tells a stream's records as they come, from the first on. */
export function tellLog(telling: Telling, streamId: string): ToldLog {
  const { call, connection, onRecord, onLogLost, lingerMs = usualLingerMs } = telling;
  const params = { log_stream_id: streamId };
  const stopped = new AbortController();
  const ended = new AbortController();
  const seen = { records: 0, atMs: performance.now(), isBeingTaken: false };
  const told = tell()
    .catch((error: unknown) => {
      onLogLost(`Its log cannot be followed: ${explainError(error).words[0]}`);
    })
    .finally(() => ended.abort());

  async function tell(): Promise<void> {
    const asked = { params, query: {}, signal: stopped.signal };
    for await (const record of followRecords(connection, asked)) {
      seen.isBeingTaken = true;
      await onRecord(record);
      seen.isBeingTaken = false;
      seen.atMs = performance.now();
      if (record.notice === undefined) seen.records += 1;
    }
  }

  /** A stream that is as long as what was told may still grow: whether it does is for the broker to say. */
  async function toItsEnd(rest: LogRest): Promise<void> {
    const stopsByMs = performance.now() + longestStopMs;
    let known: number | undefined;
    seen.atMs = performance.now();
    while (!ended.signal.aborted) {
      if (known === undefined || seen.records >= known) {
        const isComplete = await rest.isComplete(); // asked first: the stream has no less by then
        const stream = await call(getLogStreamRoute, { params }).catch(() => undefined);
        if (stream !== undefined && isTold(stream.body, seen.records, isComplete)) return;
        known = stream?.body.records ?? known;
      }
      const quietMs = performance.now() - seen.atMs;
      if (!seen.isBeingTaken && quietMs > lingerMs) {
        const isStopping = performance.now() < stopsByMs && (await rest.isStopping());
        if (!isStopping && seen.records >= (known ?? Infinity)) return;
        if (!isStopping) return onLogLost(`No more of its log has come for ${lingerMs / 1000} s.`);
        seen.atMs = performance.now();
      }
      const waitMs = Math.min(Math.max(quietMs / 4, lookMs.first), lookMs.longest);
      await sleep(waitMs, undefined, { signal: ended.signal }).catch(() => {});
    }
  }

  return {
    toItsEnd,
    stop: async () => {
      stopped.abort();
      await told;
    },
  };
}

/** Of what was dropped nobody knows whether it was told before: there the end of the stream is waited for. */
function isTold(stream: LogStream, seen: number, isComplete: boolean): boolean {
  return stream.dropped_records === 0 && seen >= stream.records && (isComplete || !stream.open);
}
