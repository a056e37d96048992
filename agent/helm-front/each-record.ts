import type { IncomingMessage } from "node:http";
import { pause } from "../client/pause.ts";
import { ItemTooLong, jsonItems } from "./json-items.ts";
import { FrontRefusal } from "./status-answer.ts";

/** Helm's own document, of what it is known by. */
export type HelmRecord = {
  readonly name?: string;
  readonly version?: number;
  readonly info?: { readonly status?: string } | null;
  readonly labels?: Readonly<Record<string, string>> | null;
};

/** As long as the broker lets a record be. */
export const mostRecordBytes = 16 * 2 ** 20;

export type ListWay = {
  /** Asks for the list, and answers its body as soon as there is one. */
  readonly open: () => Promise<IncomingMessage>;
  /** How long nothing may come before it is asked for again. */
  readonly silenceMs: number;
  /** How long it is asked for again while it brings no record. */
  readonly patienceMs: number;
  readonly signal: AbortSignal;
};

const pauseMs = 500;

/**
 * The records of a list, each once, while they come; the next one is read when it is asked for. A list that breaks off is
 * asked for again, and goes on after those that have come. Throws FrontRefusal.
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

/** Those that have not come before. */
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

/** It is so the next time, too. */
function tooLong(): FrontRefusal {
  const mebibytes = mostRecordBytes / 2 ** 20;
  return new FrontRefusal(413, `a record of helm's has more than ${mebibytes} MiB`);
}

function brokenOff({ message }: Error): FrontRefusal {
  const words = `the broker, which keeps helm's releases, does not tell them all: ${message}`;
  return new FrontRefusal(500, words);
}

/** The body's bytes; an error when none come for so long. The time in which nobody asks for them does not count. */
async function* inTime(body: IncomingMessage, silenceMs: number): AsyncGenerator<Buffer> {
  const end = (): void => void body.destroy(new Error("nothing came for too long"));
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
