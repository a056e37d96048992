import { promisify } from "node:util";
import { zstdDecompress } from "node:zlib";
import type { ChunkHead, ChunkLine } from "./encode-chunk.ts";
import type { Attributes, LogRecord } from "./log-record.ts";

const decompress = promisify(zstdDecompress);
const nothing: Attributes = Object.freeze({});

/** The records of a chunk, in the order of their positions. */
export async function decodeChunk(chunk: {
  readonly position: number;
  readonly body: Buffer;
}): Promise<LogRecord[]> {
  const text = (await decompress(chunk.body)).toString("utf8");
  const [first = "", ...lines] = text.split("\n");
  const head = JSON.parse(first) as ChunkHead; // both were written by encode-chunk.ts
  return lines.map((line, at) =>
    toRecord(head, JSON.parse(line) as ChunkLine, chunk.position + at),
  );
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
