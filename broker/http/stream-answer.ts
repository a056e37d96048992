import type { TypedResponse } from "hono";
import type { Broker } from "../broker.ts";
import type { AppContext } from "./app-types.ts";

export type Streamed = {
  readonly type: string;
  readonly parts: AsyncIterable<Uint8Array>;
};

/**
 * An answer that is made while it is sent, no faster than the client takes it. A fault on the way is logged, and
 * the connection is cut, so that nobody takes the part for the whole.
 */
export function streamAnswer(
  c: AppContext,
  { log }: Pick<Broker, "log">,
  { type, parts }: Streamed,
): Response & TypedResponse<string, 200, "text"> {
  const watched = logged(parts, (error) =>
    log.error({ err: error, request_id: c.get("requestId") }, "an answer could not be sent whole"),
  );
  const response = new Response(ReadableStream.from(watched), {
    status: 200,
    // Said here, so that the first part is sent as soon as there is one.
    headers: { "content-type": type, "transfer-encoding": "chunked" },
  });
  return response as Response & TypedResponse<string, 200, "text">; // the type is a label only
}

async function* logged(
  parts: AsyncIterable<Uint8Array>,
  onError: (error: unknown) => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* parts;
  } catch (error) {
    onError(error);
    throw error;
  }
}
