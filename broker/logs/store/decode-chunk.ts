import { promisify } from "node:util";
import { zstdDecompress } from "node:zlib";
import { zlibStep } from "../../../shared/zlib-step.ts";
import type { ChunkHead, ChunkLine } from "./encode-chunk.ts";
import type { Attributes, LogRecord } from "./log-record.ts";

const decompress = promisify(zstdDecompress);
const nothing: Attributes = Object.freeze({});

/** What to read of a chunk; by default all of it. */
type Range = {
  /** In lower case: no records when no body in the chunk can contain it, which is decided without parsing them. */
  readonly text?: string | undefined;
  /** Positions: from this on, and before that. */
  readonly from?: number;
  readonly before?: number;
};

/** The records of a chunk, in the order of their positions; those that are not wanted are not parsed. */
export async function decodeChunk(
  chunk: { readonly position: number; readonly body: Buffer; readonly bytes: number },
  { text: searched, from = 0, before = Infinity }: Range = {},
): Promise<LogRecord[]> {
  const opened = await decompress(chunk.body, { chunkSize: zlibStep(chunk.bytes) });
  const text = opened.toString("utf8");
  if (searched !== undefined && !text.toLowerCase().includes(asWritten(searched))) return [];
  const [first = "", ...lines] = text.split("\n");
  const head = JSON.parse(first) as ChunkHead; // both were written by encode-chunk.ts
  const start = Math.max(0, from - chunk.position);
  const end = Math.max(0, before - chunk.position);
  return lines
    .slice(start, end)
    .map((line, at) => readLine(head, line, chunk.position + start + at));
}

/** One damaged line does not hide the others. */
function readLine(head: ChunkHead, line: string, position: number): LogRecord {
  try {
    return toRecord(head, JSON.parse(line) as ChunkLine, position);
  } catch {
    return {
      position,
      atUs: head.at,
      severity: 13,
      body: "svc: 1 record here is damaged and cannot be read.",
      resource: nothing,
      attributes: { "svc.notice": "damaged" },
      notice: "damaged",
    };
  }
}

/** A text as it is written in the body's JSON. */
function asWritten(searched: string): string {
  return JSON.stringify(searched).slice(1, -1).toLowerCase();
}

function toRecord(head: ChunkHead, line: ChunkLine, position: number): LogRecord {
  const [afterUs, severity, body, seq, execution, step, resource, attributes, rare] = line;
  return {
    position,
    atUs: head.at + afterUs,
    severity,
    body,
    seq: seq === 0 ? undefined : seq,
    executionId: head.words[execution - 1],
    step: head.words[step - 1],
    resource: head.sets[resource - 1] ?? nothing,
    attributes: head.sets[attributes - 1] ?? nothing,
    ...rare,
  };
}
