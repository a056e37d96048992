import { gzipSync } from "node:zlib";
import type { Db } from "../../../broker/database/connect.ts";
import { decodeChunk } from "../../../broker/logs/store/decode-chunk.ts";
import type { LogRecord } from "../../../broker/logs/store/log-record.ts";
import { findLogStream, readChunks } from "../../../broker/logs/store/queries.ts";
import type { OrgId } from "../../../broker/orgs/org-id.ts";
import { bytesField, eightField, textAttribute, varintField } from "./protobuf-writer.ts";

export type SentLine = {
  readonly body: string | Buffer;
  readonly seq?: number;
  readonly executionId?: string;
  readonly step?: string;
  readonly severity?: number;
  readonly atNs?: bigint;
};

/** An ExportLogsServiceRequest of these records as protobuf. */
export function protobufLogs(lines: readonly SentLine[]): Buffer {
  const resource = bytesField(1, textAttribute(1, "service.name", "probe"));
  const scope = bytesField(1, bytesField(1, "a-scope"));
  const records = lines.map((line) => bytesField(2, recordOf(line)));
  return bytesField(1, resource, bytesField(2, scope, ...records));
}

function recordOf({ body, seq, executionId, step, severity, atNs }: SentLine): Buffer {
  const attributes = {
    "runner_job_execution.id": executionId,
    "runner_job_execution_step.name": step,
  };
  return Buffer.concat([
    eightField(1, atNs ?? 1_790_000_000_123_456_789n),
    varintField(2, severity ?? 9),
    bytesField(5, bytesField(1, body)),
    ...Object.entries(attributes).flatMap(([key, value]) =>
      value === undefined ? [] : [textAttribute(6, key, value)],
    ),
    ...(seq === undefined
      ? []
      : [bytesField(6, bytesField(1, "svc.seq"), bytesField(2, varintField(3, seq)))]),
  ]);
}

export type SentLogs = {
  readonly url: string;
  readonly streamId: string;
  readonly token: string;
  readonly body: Buffer | string;
  readonly type?: string;
  /** Packed here, or already. */
  readonly isGzip?: boolean | "already";
};

/** One request of an exporter; its answer's body are bytes. */
export async function postLogs(
  sent: SentLogs,
): Promise<{ status: number; headers: Headers; body: Buffer; text: string }> {
  const { url, streamId, token, body, type = "application/x-protobuf", isGzip = false } = sent;
  const headers = new Headers({ "content-type": type, authorization: `Bearer ${token}` });
  if (isGzip !== false) headers.set("content-encoding", "gzip");
  const bytes = new Uint8Array(isGzip === true ? gzipSync(body) : Buffer.from(body as string));
  const request = { method: "POST", headers, body: bytes };
  const response = await fetch(`${url}/v1/log-streams/${streamId}/logs`, request);
  const answer = Buffer.from(await response.arrayBuffer());
  return {
    status: response.status,
    headers: response.headers,
    body: answer,
    text: answer.toString(),
  };
}

/** Everything that a stream holds, as it is stored. */
export async function storedRecords(db: Db, org: string, streamId: string): Promise<LogRecord[]> {
  const orgId = org as OrgId; // the caller made it
  const stream = await findLogStream(db, orgId, streamId);
  if (stream === undefined) return [];
  const chunks = await readChunks(db, orgId, stream, { from: 1, limit: 100_000 });
  return (await Promise.all(chunks.map((chunk) => decodeChunk(chunk)))).flat();
}

/** The bodies of what a stream holds. */
export async function storedBodies(db: Db, org: string, streamId: string): Promise<string[]> {
  return (await storedRecords(db, org, streamId)).map(({ body }) => body);
}
