import type { TypedResponse } from "hono";
import type { Broker } from "../../broker.ts";
import type { AppContext } from "../app-types.ts";

export type Streamed = {
  readonly type: string;
  readonly parts: AsyncIterable<Uint8Array>;
  /** Sent with it; with its length it is sent as one piece, not in chunks. */
  readonly headers?: Readonly<Record<string, string>>;
  /** By default 200. */
  readonly status?: 200 | 201 | 202;
  /** A client that reads nothing for this long is cut off; by default two minutes. */
  readonly stallMs?: number;
  /** Whoever has not taken all of it by then is cut off; a client that takes a little at a time never stalls. */
  readonly longestMs?: number | undefined;
};

const usualStallMs = 120_000;

/**
 * An answer that is generated while it is sent, no faster than the client reads. A failure on the way is logged, and
 * the connection is cut, so that no client takes the part for the whole; also when the client stops reading.
 */
export function streamAnswer(
  c: AppContext,
  { log }: Pick<Broker, "log">,
  { type, parts, headers = {}, status = 200, stallMs = usualStallMs, longestMs }: Streamed,
): Response & TypedResponse<string, 200, "text"> {
  const watched = watch(parts, {
    stallMs,
    longestMs,
    cut: () => c.env?.outgoing?.destroy(),
    isInProcess: c.env?.outgoing === undefined,
    onError: (error) =>
      log.error({ err: error, request_id: c.get("requestId") }, "an answer was cut off"),
  });
  const response = new Response(ReadableStream.from(endedToo(watched, parts)), {
    status,
    // Said here, so that the first part is sent as soon as there is one.
    headers: {
      "content-type": type,
      ...(headers["content-length"] === undefined && { "transfer-encoding": "chunked" }),
      ...headers,
    },
  });
  return response as Response & TypedResponse<string, 200, "text">; // the type is a label only
}

/** A generator that was never begun ends without its `finally`: where nobody took a part, the parts are ended themselves. */
function endedToo(
  watched: AsyncGenerator<Uint8Array>,
  parts: AsyncIterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  let isBegun = false;
  const next = (): Promise<IteratorResult<Uint8Array>> => {
    isBegun = true;
    return watched.next();
  };
  const end = async (): Promise<IteratorResult<Uint8Array>> => {
    if (!isBegun) await parts[Symbol.asyncIterator]().return?.();
    return await watched.return(undefined);
  };
  return { [Symbol.asyncIterator]: () => ({ next, return: end }) };
}

type Watch = {
  readonly stallMs: number;
  readonly longestMs: number | undefined;
  readonly cut: () => void;
  /** The dashboard reads it: there is no connection to cut. */
  readonly isInProcess: boolean;
  readonly onError: (error: unknown) => void;
};

/** The next part is asked for when the client has taken the last one. */
async function* watch(
  parts: AsyncIterable<Uint8Array>,
  { stallMs, longestMs, cut, isInProcess, onError }: Watch,
): AsyncGenerator<Uint8Array> {
  let stall: NodeJS.Timeout | undefined;
  const end = longestMs === undefined ? undefined : setTimeout(cut, longestMs);
  try {
    for await (const part of parts) {
      stall = setTimeout(cut, stallMs);
      yield part;
      clearTimeout(stall);
    }
  } catch (error) {
    onError(error);
    if (isInProcess) throw error;
    cut(); // thrown on, it would be told on standard error besides
  } finally {
    clearTimeout(stall);
    clearTimeout(end);
  }
}
