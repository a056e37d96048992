import type { IncomingMessage } from "node:http";
import { pause } from "../client/pause.ts";
import { ItemTooLong, jsonItems } from "./json-items.ts";
import { FrontRefusal } from "./status-answer.ts";

/** The members of helm's document that identify a record. */
export type HelmRecord = {
  readonly name?: string;
  readonly version?: number;
  readonly info?: { readonly status?: string } | null;
  readonly labels?: Readonly<Record<string, string>> | null;
};

/** The broker's own limit for a record. */
export const mostRecordBytes = 16 * 2 ** 20;

export type ListWay = {
  /** Requests the list and returns its body as soon as there is one. */
  readonly open: () => Promise<IncomingMessage>;
  /** How long the body may be silent before the list is requested again. */
  readonly silenceMs: number;
  /** How long requests are repeated while none brings a new record. */
  readonly patienceMs: number;
  readonly signal: AbortSignal;
};

const pauseMs = 500;

/**
 * Streams the records of a list, each once, as fast as the caller takes them. A list that breaks off is requested again
 * and continues after the records already returned. Throws FrontRefusal.
 */
export async function* eachRecord(way: ListWay): AsyncGenerator<HelmRecord> {
  const had = new Set<string>();
  let told = 0;
  let giveUpAtMs = Date.now() + way.patienceMs;
  for (;;) {
    const bytes = inTime(await way.open(), way.silenceMs);
    try {
      yield* newRecords(jsonItems(bytes, mostRecordBytes), had);
      return;
    } catch (error) {
      way.signal.throwIfAborted();
      if (error instanceof ItemTooLong) throw tooLong();
      if (had.size > told) giveUpAtMs = Date.now() + way.patienceMs;
      told = had.size;
      if (Date.now() >= giveUpAtMs) throw brokenOff(error as Error); // nothing throws anything else here
    }
    await pause(pauseMs, way.signal);
  }
}

/** The records that have not been returned before. */
async function* newRecords(
  items: AsyncGenerator<Buffer>,
  had: Set<string>,
): AsyncGenerator<HelmRecord> {
  for await (const item of items) {
    const record = JSON.parse(item.toString("utf8")) as HelmRecord; // the broker took it as helm's
    const key = `${record.name ?? ""}.v${record.version ?? 0}`;
    if (had.has(key)) continue;
    had.add(key);
    yield record;
  }
}

/** Not retried: the record would be as large the next time. */
function tooLong(): FrontRefusal {
  const mebibytes = mostRecordBytes / 2 ** 20;
  return new FrontRefusal(413, `a record of helm's has more than ${mebibytes} MiB`);
}

function brokenOff({ message }: Error): FrontRefusal {
  const words = `the broker, which keeps helm's releases, did not return all of them: ${message}`;
  return new FrontRefusal(500, words);
}

/** The body's bytes; an error after too long a silence. Time in which the caller does not read does not count. */
async function* inTime(body: IncomingMessage, silenceMs: number): AsyncGenerator<Buffer> {
  const end = (): void => void body.destroy(new Error("no data arrived for too long"));
  let timer = setTimeout(end, silenceMs);
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      clearTimeout(timer);
      yield chunk;
      timer = setTimeout(end, silenceMs);
    }
  } finally {
    clearTimeout(timer);
  }
}
