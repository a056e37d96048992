import type { IncomingMessage } from "node:http";
import { problem } from "../../../shared/problem.ts";
import type { AppContext } from "../app-types.ts";
import { requestHeader } from "../gate/request-header.ts";
import { bodyIdleMs, bodyStalled, bodyTruncated } from "./body-errors.ts";
import { watchStalls } from "./watch-stalls.ts";

const stalls = watchStalls(bodyIdleMs);

/**
 * The request's body piece by piece, read no faster than it is taken; 413 past `maxBytes`. Whoever stops
 * early may still answer: the rest is read and discarded.
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

/** Gives up on a client that sends nothing; the broker's own delays do not count. */
async function* watched(incoming: IncomingMessage): AsyncGenerator<Buffer> {
  const pieces = incoming.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>; // no encoding is set
  let isWaiting = false;
  try {
    for (;;) {
      isWaiting = true;
      const next = await nextPiece(pieces);
      isWaiting = false;
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    // Releases the stream, so that its rest can be read. While a read waits for a stalled client, this would wait, too.
    if (!isWaiting) await pieces.return?.();
  }
}

/** The connection stays for the answer that tells of a stall, and is closed after it. */
async function nextPiece(pieces: AsyncIterator<Buffer>): Promise<IteratorResult<Buffer>> {
  const stall = Promise.withResolvers<never>();
  const clock = { lastAtMs: performance.now(), giveUp: () => stall.reject(bodyStalled()) };
  stalls.add(clock);
  const next = pieces.next().catch(() => {
    throw bodyTruncated();
  });
  try {
    return await Promise.race([next, stall.promise]);
  } finally {
    stalls.remove(clock);
  }
}
