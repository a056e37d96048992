import type { IncomingMessage } from "node:http";
import { type Problem, problem } from "../../../shared/problem.ts";
import type { AppContext } from "../app-types.ts";
import { requestHeader } from "../gate/request-header.ts";
import { bodyIdleMs, bodyStalled, bodyTruncated } from "./body-errors.ts";
import { watchStalls } from "./watch-stalls.ts";

const empty = Buffer.alloc(0);
const stalls = watchStalls(bodyIdleMs);

/** Whether the request says that it has a body. */
export function hasBody(c: AppContext): boolean {
  const length = requestHeader(c, "content-length");
  if (length !== undefined) return length !== "0";
  return requestHeader(c, "transfer-encoding") !== undefined;
}

/** The request's body; 413 past `maxBytes` (at once, where its length is said), 408 when it stalls. */
export function readBody(c: AppContext, maxBytes: number): Buffer | Promise<Buffer> {
  if (Number(requestHeader(c, "content-length") ?? 0) > maxBytes) throw problem.tooLarge(maxBytes);
  const { incoming } = c.env ?? {};
  if (incoming === undefined) return readWhole(c, maxBytes);
  return hasBody(c) ? readIncoming(incoming, maxBytes) : empty;
}

async function readWhole(c: AppContext, maxBytes: number): Promise<Buffer> {
  const body = Buffer.from(await c.req.arrayBuffer());
  if (body.length > maxBytes) throw problem.tooLarge(maxBytes);
  return body;
}

function readIncoming(incoming: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const taken = takeChunks(Number(incoming.headers["content-length"] ?? 0));
    const settle = (refusal: Problem | undefined): void => {
      stalls.remove(watched);
      incoming.off("data", onData).off("end", onEnd).off("close", onClose);
      if (refusal !== undefined) reject(refusal);
      else resolve(taken.whole());
    };
    const onData = (chunk: Buffer): void => {
      taken.add(chunk);
      watched.lastAtMs = performance.now();
      if (taken.size() > maxBytes) settle(problem.tooLarge(maxBytes));
    };
    const onEnd = (): void => settle(undefined);
    const onClose = (): void => settle(bodyTruncated());
    const watched = { lastAtMs: performance.now(), giveUp: () => settle(bodyStalled()) };
    stalls.add(watched);
    incoming.on("data", onData).on("end", onEnd).on("close", onClose);
    if (incoming.destroyed) onClose();
  });
}

const largeBytes = 256 * 1024;

/** A large body is received into its final buffer, so that it is never in memory twice. */
function takeChunks(saidBytes: number) {
  const whole = saidBytes > largeBytes ? Buffer.allocUnsafeSlow(saidBytes) : undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    size: () => size,
    add: (chunk: Buffer): void => {
      if (whole === undefined) chunks.push(chunk);
      else chunk.copy(whole, size);
      size += chunk.length;
    },
    whole: (): Buffer => {
      if (whole !== undefined) return whole.subarray(0, size);
      return chunks.length === 1 ? (chunks[0] ?? empty) : Buffer.concat(chunks, size);
    },
  };
}
