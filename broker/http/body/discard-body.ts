import type { IncomingMessage } from "node:http";
import type { AppContext } from "../app-types.ts";
import { hasBody } from "./read-body.ts";
import { watchStalls } from "./watch-stalls.ts";

const idleMs = 5_000;
const mostBytes = 128 * 1024 * 1024;
/** All refused bodies together are read no faster than this, so that their senders slow nobody else down. */
const bytesPerS = 48 * 1024 * 1024;
const stepMs = 10;
const stalls = watchStalls(idleMs);

type Discarding = {
  readonly incoming: IncomingMessage;
  readonly settle: () => void;
  readonly watched: { lastAtMs: number; readonly giveUp: () => void };
  bytes: number;
};

/** Those that have something to throw away, and wait for their turn. */
const ready = new Set<Discarding>();
let allowance = 0;
let filledAtMs = 0;
let timer: NodeJS.Timeout | undefined;

/**
 * Reads and discards the rest of a refused request's body, slowly. Most clients send everything before they read: a
 * connection that is closed under them before that is to them no refusal but a broken network. So where it is to be
 * closed after the answer, the answer waits for this; where it stays, nothing waits. A client that sends no more, or
 * without end, is given up.
 */
export async function discardBody(c: AppContext): Promise<void> {
  const { incoming, outgoing } = c.env ?? {};
  if (incoming === undefined || incoming.complete || incoming.destroyed || !hasBody(c)) return;
  const isClosedAfter = outgoing?.shouldKeepAlive === false;
  const over = Promise.withResolvers<void>();
  const settle = (): void => {
    ready.delete(one);
    stalls.remove(one.watched);
    incoming.off("readable", onReadable).off("close", settle).off("error", settle);
    over.resolve();
  };
  const giveUp = (): void => {
    settle();
    if (!isClosedAfter) incoming.socket.destroySoon();
  };
  const one = { incoming, settle, bytes: 0, watched: { lastAtMs: performance.now(), giveUp } };
  const onReadable = (): void => {
    ready.add(one);
    timer ??= setTimeout(discardSome, 0);
  };
  stalls.add(one.watched);
  incoming.on("readable", onReadable).on("close", settle).on("error", settle);
  incoming.read(0); // from now on node leaves the body to us
  if (isClosedAfter) await over.promise;
}

function discardSome(): void {
  timer = undefined;
  const nowMs = performance.now();
  const more = ((nowMs - filledAtMs) / 1000) * bytesPerS;
  allowance = Math.min((bytesPerS / 1000) * stepMs, allowance + more);
  filledAtMs = nowMs;
  for (const one of ready) {
    if (allowance <= 0) break;
    ready.delete(one);
    discardPiece(one, nowMs);
  }
  if (ready.size > 0) timer = setTimeout(discardSome, stepMs);
}

/** What has come of it so far; the next piece says itself when it is there. */
function discardPiece(one: Discarding, nowMs: number): void {
  const { incoming, watched, settle } = one;
  const piece = incoming.read() as Buffer | null; // no encoding is set
  if (incoming.complete && incoming.readableLength === 0) settle();
  if (piece === null) return;
  one.bytes += piece.length;
  allowance -= piece.length;
  watched.lastAtMs = nowMs;
  if (one.bytes > mostBytes) watched.giveUp();
}
