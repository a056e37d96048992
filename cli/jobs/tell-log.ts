import { setTimeout as sleep } from "node:timers/promises";
import { getLogStreamRoute, type LogRecord, type LogStream } from "../../shared/api/log-streams.ts";
import type { Caller } from "../command.ts";
import type { Connection } from "../connection.ts";
import { explainError } from "../explain-error.ts";
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

/** A log on its way to its reader. What befalls it is told by `onLogLost`: it says nothing of the job, and never rejects. */
export type ToldLog = {
  /** For after the job's end: resolves when everything was told, or nothing comes any more. */
  readonly toItsEnd: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

const usualLingerMs = 10_000;
const lookMs = 100;

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

  /** As many records were told as the stream has: that is sooner than the stream is closed. */
  async function toItsEnd(): Promise<void> {
    let known: number | undefined;
    seen.atMs = performance.now();
    while (!ended.signal.aborted) {
      if (known === undefined || seen.records >= known) {
        const stream = await call(getLogStreamRoute, { params }).catch(() => undefined);
        if (stream !== undefined && isWhole(stream.body, seen.records)) return;
        known = stream?.body.records ?? known;
      }
      const isQuiet = !seen.isBeingTaken && performance.now() - seen.atMs > lingerMs;
      if (isQuiet && seen.records >= (known ?? Infinity)) return;
      if (isQuiet) return onLogLost(`No more of its log has come for ${lingerMs / 1000} s.`);
      await sleep(lookMs, undefined, { signal: ended.signal }).catch(() => {});
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

function isWhole(stream: LogStream, seen: number): boolean {
  const hasGaps = stream.missing_records > 0 || stream.dropped_records > 0;
  return !hasGaps && stream.records > 0 && seen >= stream.records;
}
