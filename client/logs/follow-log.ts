import type { Connection } from "../requests/connection.ts";
import { openAnswer } from "../requests/open-answer.ts";
import { pause } from "../requests/pause.ts";
import { factsOf } from "../requests/read-answer.ts";
import { eitherOf } from "../requests/send-once.ts";
import { targetUrl } from "../requests/target-url.ts";
import { SvcError } from "../svc-error.ts";
import { makePatience, type Patience } from "../waits/make-patience.ts";
import { readEvents, type ServerEvent } from "./read-events.ts";
import { readLines } from "./read-lines.ts";

/** What following a log takes. */
export type FollowOptions<Query = Readonly<Record<string, unknown>>> = {
  /** Narrows what is told, and says where it begins: with the first record unless told. */
  readonly query?: Query | undefined;
  /** Gives the log up: the iterator throws this signal's reason. */
  readonly signal?: AbortSignal | undefined;
};

/** Brokers give a sign of life every 15 s: after so much silence the connection is taken for broken. */
const silenceMs = 45_000;
const usualRetryMs = 1000;

/** Where a follower stands. */
type Place = { id: string; retryMs: number; isOver: boolean; readonly patience: Patience };

/**
 * A log's records as they come, to the end of the log. A broken connection is made again, and what was missed meanwhile
 * is told; without a broker for a minute it throws.
 */
export async function* followLog(
  connection: Connection,
  streamId: string,
  options: FollowOptions = {},
): AsyncGenerator {
  const { signal } = options;
  const patience = makePatience();
  const place: Place = { id: "", retryMs: usualRetryMs, isOver: false, patience };
  while (!place.isOver) {
    let waitMs = place.retryMs;
    try {
      yield* readOn(connection, streamId, options, place);
      waitMs = place.retryMs;
    } catch (error) {
      signal?.throwIfAborted();
      const askedMs = error instanceof SvcError ? (error.retryAfterMs ?? 0) : 0;
      waitMs = patience.bear(error, Math.max(place.retryMs, askedMs));
    }
    if (!place.isOver) await pause(waitMs, signal);
  }
}

async function* readOn(
  connection: Connection,
  streamId: string,
  options: FollowOptions,
  place: Place,
): AsyncGenerator {
  const opening = { ...options, streamId, resumeFrom: place.id };
  for await (const { id, type, data, retryMs } of openEvents(connection, opening)) {
    place.patience.heard();
    if (id !== "") place.id = id;
    place.retryMs = retryMs ?? place.retryMs;
    place.isOver = type === "end";
    if (place.isOver) return;
    if (data !== undefined) yield recordOf(data);
  }
}

function recordOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SvcError("A record of the log is no JSON.", { code: "bad_answer", status: 200 });
  }
}

type Opening = FollowOptions & { readonly streamId: string; readonly resumeFrom: string };

/** One connection's events, to its end; an end of the log where there is nothing left. */
async function* openEvents(
  connection: Connection,
  { streamId, query, signal, resumeFrom }: Opening,
): AsyncGenerator<ServerEvent> {
  const path = "/v1/log-streams/{log_stream_id}/logs/tail";
  const url = targetUrl(connection.base, { path, params: { log_stream_id: streamId }, query });
  const headers = {
    accept: "text/event-stream, application/problem+json",
    ...(resumeFrom !== "" && { "last-event-id": resumeFrom }),
  };
  const open = new AbortController();
  const silence = makeSilence(() => open.abort());
  try {
    const response = await openAnswer(connection, {
      url,
      headers,
      signal: eitherOf(open.signal, signal),
      timeout: AbortSignal.timeout(silenceMs),
    });
    if (response.status === 204)
      yield { id: resumeFrom, type: "end", data: undefined, retryMs: undefined };
    else requireEvents(response);
    for await (const event of readEvents(readLines(response))) {
      silence.stop(); // a reader who takes his time is no silence
      yield event;
      silence.begin();
    }
  } finally {
    silence.stop();
    open.abort();
  }
}

/** A proxy's page has no events, however often it is read. */
function requireEvents(response: Response): void {
  const type = response.headers.get("content-type") ?? "";
  if (/^text\/event-stream\b/i.test(type)) return;
  const words = "The answer is no stream of events.";
  throw new SvcError(words, { code: "bad_answer", ...factsOf(response) });
}

function makeSilence(onSilence: () => void) {
  const begin = () => setTimeout(onSilence, silenceMs);
  let timer = begin();
  return {
    stop: () => clearTimeout(timer),
    begin: () => {
      clearTimeout(timer);
      timer = begin();
    },
  };
}
