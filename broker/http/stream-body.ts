import type { IncomingMessage } from "node:http";
import { Problem, problem } from "../../shared/problem.ts";
import type { AppContext } from "./app-types.ts";
import { requestHeader } from "./request-header.ts";
import { watchStalls } from "./stall-watch.ts";

const idleTimeoutMs = 15_000;
const stalls = watchStalls(idleTimeoutMs);

/**
 * The request's body piece by piece, read no faster than it is taken; 413 past `maxBytes`. Whoever stops
 * early may still answer: what is left is read and thrown away.
 */
export async function* streamBody(c: AppContext, maxBytes: number): AsyncGenerator<Buffer> {
  if (Number(requestHeader(c, "content-length") ?? 0) > maxBytes) throw problem.tooLarge(maxBytes);
  const { incoming } = c.env ?? {};
  if (incoming === undefined)
    throw new Error("only a request over a connection has a body to read");
  let size = 0;
  const pieces = watched(incoming);
  try {
    for await (const piece of pieces) {
      size += piece.length;
      if (size > maxBytes) throw problem.tooLarge(maxBytes);
      yield piece;
    }
  } finally {
    incoming.resume();
  }
}

/** Gives up on a client that sends nothing; how long we take ourselves does not count. */
async function* watched(incoming: IncomingMessage): AsyncGenerator<Buffer> {
  const pieces = incoming.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>; // no encoding is set
  const clock = { lastAtMs: 0, giveUp: () => void incoming.destroy(stalled()) };
  for (;;) {
    clock.lastAtMs = performance.now();
    stalls.add(clock);
    const next = await pieces.next().catch((error: unknown) => {
      throw error instanceof Problem ? error : truncated();
    });
    stalls.remove(clock);
    if (next.done === true) return;
    yield next.value;
  }
}

const truncated = (): Problem =>
  problem.malformed("body_truncated", "The connection ended before the body did.");

const stalled = (): Problem =>
  new Problem({
    status: 408,
    code: "body_timeout",
    detail: `No byte of the body came for ${idleTimeoutMs / 1000} s.`,
    headers: { connection: "close" },
  });
