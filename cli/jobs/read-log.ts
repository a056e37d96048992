import { setTimeout as sleep } from "node:timers/promises";
import type { LogRecord } from "../../shared/api/log-streams.ts";
import type { Connection } from "../connection.ts";

const pauseMs = 500;
const longestPauseMs = 5_000;

/**
 * Every record of a log stream as it comes, once, until all was told or the signal aborts. A line that breaks is taken
 * up again where it broke.
 */
export async function* readLog(
  connection: Pick<Connection, "url" | "token" | "orgId">,
  streamId: string,
  signal: AbortSignal,
): AsyncGenerator<LogRecord> {
  const place: Place = { lastId: "", isAtEnd: false };
  for (let fails = 0; !signal.aborted && !place.isAtEnd; fails++) {
    try {
      for await (const record of readOn(connection, streamId, place, signal)) {
        fails = 0;
        yield record;
      }
    } catch (error) {
      if (!(error instanceof Error)) throw error;
    }
    if (place.isAtEnd) return;
    const waitMs = Math.min(pauseMs * 2 ** fails, longestPauseMs);
    await sleep(waitMs, undefined, { signal }).catch(() => {});
  }
}

type Place = { lastId: string; isAtEnd: boolean };

/** From a place on until the line breaks or the end; keeps the place. */
async function* readOn(
  connection: Parameters<typeof open>[0],
  streamId: string,
  place: Place,
  signal: AbortSignal,
): AsyncGenerator<LogRecord> {
  const response = await open(connection, streamId, { lastId: place.lastId, signal });
  if (response.status === 204) place.isAtEnd = true;
  if (response.status !== 200 || response.body === null) return;
  for await (const { name, id, body } of eventsOf(response.body)) {
    if (name === "end") {
      place.isAtEnd = true;
      return;
    }
    if (id !== "") place.lastId = id;
    if (body !== "") yield JSON.parse(body) as LogRecord; // as the route promises
  }
}

async function open(
  { url, token, orgId }: Pick<Connection, "url" | "token" | "orgId">,
  streamId: string,
  { lastId, signal }: { readonly lastId: string; readonly signal: AbortSignal },
): Promise<Response> {
  return await fetch(`${url}/v1/log-streams/${streamId}/logs/tail`, {
    signal,
    headers: {
      accept: "text/event-stream",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(orgId !== undefined && { "x-svc-org-id": orgId }),
      ...(lastId !== "" && { "last-event-id": lastId }),
    },
  });
}

type ServerEvent = { readonly name: string; readonly id: string; readonly body: string };

/** The events of a stream as the standard writes them: fields by line, an empty line ends one. */
async function* eventsOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + text).replaceAll("\r\n", "\n").split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) yield eventOf(block);
  }
}

function eventOf(block: string): ServerEvent {
  const field = (name: string): string[] =>
    block
      .split("\n")
      .filter((line) => line.startsWith(`${name}:`))
      .map((line) => line.slice(name.length + 1).replace(/^ /, ""));
  return {
    name: field("event").at(-1) ?? "",
    id: field("id").at(-1) ?? "",
    body: field("data").join("\n"),
  };
}
