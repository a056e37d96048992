import type { IncomingMessage } from "node:http";
import { Problem, problem } from "../../shared/problem.ts";
import type { AppContext } from "./app-types.ts";

const idleTimeoutMs = 15_000;
const empty = Buffer.alloc(0);

/** Whether the request says that it has a body. */
export function hasBody(c: AppContext): boolean {
  const length = c.req.header("content-length");
  if (length !== undefined) return length !== "0";
  return c.req.header("transfer-encoding") !== undefined;
}

/** The request's body; 413 past `maxBytes` (before a byte is read, where its length is said), 408 when it stalls. */
export async function readBody(c: AppContext, maxBytes: number): Promise<Buffer> {
  if (Number(c.req.header("content-length") ?? 0) > maxBytes) throw problem.tooLarge(maxBytes);
  const { incoming } = c.env ?? {};
  if (incoming !== undefined) return hasBody(c) ? readIncoming(incoming, maxBytes) : empty;
  const body = Buffer.from(await c.req.arrayBuffer());
  if (body.length > maxBytes) throw problem.tooLarge(maxBytes);
  return body;
}

function readIncoming(incoming: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const timer = setTimeout(() => settle(() => reject(stalled())), idleTimeoutMs);
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      chunks.push(chunk);
      timer.refresh();
      if (size > maxBytes) settle(() => reject(problem.tooLarge(maxBytes)));
    };
    const onEnd = (): void =>
      settle(() =>
        resolve(chunks.length === 1 ? (chunks[0] ?? empty) : Buffer.concat(chunks, size)),
      );
    const onClose = (): void => settle(() => reject(truncated()));
    const settle = (act: () => void): void => {
      clearTimeout(timer);
      incoming.off("data", onData).off("end", onEnd).off("error", onClose).off("close", onClose);
      act();
    };
    incoming.on("data", onData).on("end", onEnd).on("error", onClose).on("close", onClose);
    if (incoming.destroyed) onClose();
  });
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
