import { setTimeout as sleep } from "node:timers/promises";
import { openRoute, type RouteInput } from "../../shared/api/call-route.ts";
import { type LogRecord, tailLogsRoute } from "../../shared/api/log-streams.ts";
import { version } from "../../shared/version.ts";
import { makePatience, type Patience } from "../connection/absence.ts";
import type { Connection } from "../connection/connection.ts";
import { type ServerEvent, readEvents } from "./read-events.ts";
import { readLines } from "./read-lines.ts";

type Query = NonNullable<RouteInput<typeof tailLogsRoute>["query"]>;
type Asked = {
  readonly params: { log_stream_id: string };
  readonly query: Query;
  /** Ends the following where it stands. */
  readonly signal?: AbortSignal;
};

/** Brokers give a sign of life every 15 s: after so much silence the connection is taken for broken. */
const silenceMs = 45_000;
const usualRetryMs = 1000;

/**
 * A log's records as they come, to the end of the log. A broken connection is made again, and what was missed
 * meanwhile is told; without a broker for a minute it throws.
 */
export async function* followRecords(
  connection: Connection,
  asked: Asked,
): AsyncGenerator<LogRecord> {
  const patience = makePatience();
  const place: Place = { id: "", retryMs: usualRetryMs, isOver: false, patience };
  for (;;) {
    try {
      yield* readOn(connection, asked, place);
    } catch (error) {
      if (asked.signal?.aborted === true) return;
      patience.bear(error);
    }
    if (place.isOver) return;
    await sleep(place.retryMs, undefined, asked).catch(() => {});
    if (asked.signal?.aborted === true) return;
  }
}

/** Where a follower stands. */
type Place = { id: string; retryMs: number; isOver: boolean; readonly patience: Patience };

async function* readOn(
  connection: Connection,
  asked: Asked,
  place: Place,
): AsyncGenerator<LogRecord> {
  for await (const event of openEvents(connection, asked, place.id)) {
    place.patience.heard();
    if (event.id !== "") place.id = event.id;
    place.retryMs = event.retryMs ?? place.retryMs;
    place.isOver = event.type === "end";
    if (place.isOver) return;
    if (event.data !== undefined) yield JSON.parse(event.data) as LogRecord; // by the contract
  }
}

/** One connection's events, to its end; an end of the log where there is nothing left. */
async function* openEvents(
  { url, token, orgId }: Connection,
  { params, query, signal }: Asked,
  resumeFrom: string,
): AsyncGenerator<ServerEvent> {
  const endpoint = { url, token, orgId, userAgent: `svc-cli/${version}` };
  const resumed = resumeFrom === "" ? {} : { "last-event-id": resumeFrom };
  const headers = { accept: "text/event-stream, application/problem+json", ...resumed };
  const open = new AbortController();
  let isHeld = false; // by a reader who takes his time: that is no silence
  const silence = setTimeout(() => void (isHeld || open.abort()), silenceMs);
  const isOpen = signal === undefined ? open.signal : AbortSignal.any([open.signal, signal]);
  try {
    const input = { params, query, headers };
    const response = await openRoute(endpoint, tailLogsRoute, input, isOpen);
    const isOver = response.status === 204;
    if (isOver) yield { id: resumeFrom, type: "end", data: undefined, retryMs: undefined };
    for await (const event of readEvents(readLines(response))) {
      isHeld = true;
      yield event;
      isHeld = false;
      silence.refresh();
    }
  } finally {
    clearTimeout(silence);
    open.abort();
  }
}
