import type { LogRecord } from "../store/log-record.ts";
import type { TailStep } from "../tail/tail-log.ts";
import { toCursor } from "./log-cursor.ts";
import type { LogBatch } from "./read-forward.ts";
import { instantOf, toLogRecord } from "./to-log-record.ts";

/** One JSON object per line. */
export function toNdjson(records: readonly LogRecord[]): string {
  return records.map((record) => `${JSON.stringify(toLogRecord(record))}\n`).join("");
}

/** Each record as it was written, on its own lines, with its time in front on request. */
export function toPlainText(records: readonly LogRecord[], hasTimestamps: boolean): string {
  return records
    .map(({ atUs, body }) => {
      const text = body.endsWith("\n") ? body : `${body}\n`;
      return hasTimestamps ? `${instantOf(atUs).slice(0, 23)}Z ${text}` : text;
    })
    .join("");
}

/** How soon a client reconnects after its connection broke; after a drain at a random time up to `drain`, so that clients spread out. */
const retryMs = { usual: 2000, drain: 1000 } as const;
const encoded = new WeakMap<readonly LogRecord[], Buffer>();

/** The beginning of a stream of server-sent events. */
export const eventsBegin = Buffer.from(`retry: ${retryMs.usual}\n\n`);

/** One step of a tail as server-sent events; a batch is encoded once for all clients. */
export function toEvents({ kind, batch }: TailStep): Buffer {
  const resume = `id: ${toCursor(batch.next)}\n`;
  if (kind === "records") return eventsOf(batch);
  if (kind === "end") return Buffer.from(`${resume}event: end\ndata: {}\n\n`);
  if (kind === "idle") return Buffer.from(`${resume}: still here\n\n`);
  const spread = Math.round(retryMs.drain * Math.random());
  return Buffer.from(`${resume}retry: ${spread}\n: this broker stops; come again\n\n`);
}

/** The id of a record's event is the cursor after it. */
function eventsOf({ records, next }: LogBatch): Buffer {
  const known = encoded.get(records);
  if (known !== undefined) return known;
  const events = records.map((record, at) => {
    const cursor = toCursor(records[at + 1]?.position ?? next);
    return `id: ${cursor}\ndata: ${JSON.stringify(toLogRecord(record))}\n\n`;
  });
  const bytes = Buffer.from(events.join(""));
  encoded.set(records, bytes);
  return bytes;
}
