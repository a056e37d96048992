import { setTimeout as pause } from "node:timers/promises";
import type postgres from "postgres";
import type { Db } from "../../database/connect.ts";
import { isDatabaseAway } from "../../database/database-errors.ts";
import type { OrgId } from "../../orgs/org-id.ts";
import type { LogStream } from "../store/row.ts";
import type { StreamHead } from "./number-records.ts";
import { fullChunkBytes, type PlacedChunk, type PreparedAppend } from "./prepare-append.ts";

export type StreamAppend = {
  readonly orgId: OrgId;
  readonly streamId: string;
  /** The execution that all of it is of, where it is known to come late. */
  readonly lateExecution?: string | undefined;
  /** The stream's state as the writer knew it. */
  readonly before: StreamHead;
  readonly prepared: PreparedAppend;
};

/** The outcome of an append; a conflict has the stream's present state. */
export type WrittenAppend =
  | { readonly outcome: "ok"; readonly bytes: number; readonly looseChunks: number }
  | { readonly outcome: "conflict" | "closed"; readonly stream: StreamHead }
  | { readonly outcome: "not-found" };

type AppendRow = {
  n: number;
  outcome: WrittenAppend["outcome"];
  stream: LogStream | null;
  bytes: number | null;
  loose_chunks: number | null;
};

const tryAgainForMs = 8_000;
const pauseMs = 100;

/**
 * Writes appends to different streams in one statement; returns one result each. While the database is unavailable it is
 * tried again for 8 s: if an earlier try was committed though its answer was lost, the stream's version shows it, and
 * nothing is written twice.
 */
export async function writeAppends(
  db: Db,
  appends: readonly StreamAppend[],
): Promise<WrittenAppend[]> {
  const writeId = crypto.randomUUID();
  const statement = statementOf(appends);
  const giveUpAtMs = performance.now() + tryAgainForMs;
  for (;;) {
    try {
      const rows = await send(db, writeId, statement);
      const byNumber = new Map(rows.map((row) => [row.n, row]));
      return appends.map((_, n) => toWritten(byNumber.get(n), writeId));
    } catch (error) {
      if (!isDatabaseAway(error) || performance.now() > giveUpAtMs) throw error;
      await pause(pauseMs);
    }
  }
}

type Statement = {
  readonly appends: string;
  readonly chunks: string;
  readonly bodies: Buffer;
  /** Undefined where nothing stands beside the streams' rows: nearly always. */
  readonly parts: string | undefined;
};

function statementOf(appends: readonly StreamAppend[]): Statement {
  const bodies: Buffer[] = [];
  const chunks: object[] = [];
  const parts = appends.flatMap(({ prepared }, n) =>
    prepared.parts.map((part) => ({ n, ...part })),
  );
  let bodyFrom = 1; // Postgres counts from 1
  for (const [n, { prepared }] of appends.entries()) {
    for (const chunk of prepared.chunks) {
      chunks.push({
        n,
        ...chunkColumns(chunk),
        body_from: bodyFrom,
        body_length: chunk.body.length,
      });
      bodies.push(chunk.body);
      bodyFrom += chunk.body.length;
    }
  }
  return {
    appends: JSON.stringify(appends.map(appendColumns)),
    chunks: JSON.stringify(chunks),
    bodies: Buffer.concat(bodies),
    parts: parts.length === 0 ? undefined : JSON.stringify(parts),
  };
}

function appendColumns(append: StreamAppend, n: number): object {
  const { orgId, streamId, before, prepared, lateExecution } = append;
  const { chunks, head } = prepared;
  return {
    n,
    late_execution: lateExecution,
    org_id: orgId,
    stream_id: streamId,
    version: before.version,
    next_position: head.next_position,
    sequences: head.sequences,
    records: chunks.reduce((sum, { records }) => sum + records, 0),
    bytes: chunks.reduce((sum, { bytes }) => sum + bytes, 0),
    loose_chunks: chunks.filter(({ bytes }) => bytes < fullChunkBytes).length,
  };
}

/** A chunk's columns except its body. Its times are rounded outwards to whole milliseconds. */
export function chunkColumns(chunk: PlacedChunk): object {
  return {
    position: chunk.position,
    records: chunk.records,
    bytes: chunk.bytes,
    first_at: new Date(Math.floor(chunk.firstAtUs / 1000)).toISOString(),
    last_at: new Date(Math.ceil(chunk.lastAtUs / 1000)).toISOString(),
    min_severity: chunk.minSeverity,
    max_severity: chunk.maxSeverity,
    steps: chunk.steps,
  };
}

async function send(
  db: Db,
  writeId: string,
  { appends, chunks, bodies, parts }: Statement,
): Promise<AppendRow[]> {
  if (parts === undefined) {
    return db<AppendRow[]>`select * from append_logs(${append()})`;
  }
  return db<AppendRow[]>`
    select * from append_logs_and_sequences(
      ${append()},
      array(select p from json_populate_recordset(null::log_sequence_part, ${parts}::text::json) p))`;

  function append(): postgres.Fragment {
    return db`
      ${writeId},
      array(select a from json_populate_recordset(null::log_append, ${appends}::text::json) a),
      array(select c from json_populate_recordset(null::log_chunk, ${chunks}::text::json) c),
      ${bodies}::bytea`;
  }
}

function toWritten(row: AppendRow | undefined, writeId: string): WrittenAppend {
  if (row === undefined) throw new Error("append_logs answered too few rows");
  const { outcome, stream } = row;
  if (outcome === "ok" || stream?.last_write === writeId) {
    const bytes = row.bytes ?? stream?.bytes ?? 0;
    return { outcome: "ok", bytes, looseChunks: row.loose_chunks ?? stream?.loose_chunks ?? 0 };
  }
  if (outcome === "not-found" || stream === null) return { outcome: "not-found" };
  return { outcome, stream };
}
