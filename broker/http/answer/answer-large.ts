import type { Broker } from "../../broker.ts";
import type { TextInPieces } from "../../seals/json-placeholders.ts";
import { LargeText } from "../../seals/large-text.ts";
import { type LargeSealed, openLarge } from "../../seals/open-large.ts";
import type { AppContext } from "../app-types.ts";
import { onClose } from "./on-close.ts";
import { streamAnswer } from "./stream-answer.ts";

/** What an answer takes of memory that is read, opened and sent piece by piece. */
const streamedBytes = 1024 * 1024;
/** How long such an answer may hold its memory: as long as the largest takes at 600 kbit/s. */
export const longestAnswerMs = 15 * 60_000;

/** Sends a sealed value no faster than the client reads, when there is memory for it; an error before the first byte is answered as an error. */
export async function answerLarge(
  c: AppContext,
  broker: Broker,
  { large, type }: { readonly large: LargeSealed; readonly type: string },
): Promise<never> {
  const leave = await enterDownloads(c, broker);
  try {
    const { sizeBytes, pieces } = await openLarge(broker, large);
    const headers = { "content-length": String(sizeBytes) };
    const parts = thenLeave(pieces(), leave);
    return streamAnswer(c, broker, { type, parts, headers, longestMs: longestAnswerMs }) as never;
  } catch (error) {
    leave();
    throw error;
  }
}

/** Sends a text that is generated while it is sent, when there is memory for it. */
export async function answerText(
  c: AppContext,
  broker: Broker,
  { text, type }: { readonly text: TextInPieces; readonly type: string },
): Promise<never> {
  const leave = await enterDownloads(c, broker, text.heldBytes);
  const parts = thenLeave(text.pieces(), leave);
  return streamAnswer(c, broker, { type, parts, longestMs: longestAnswerMs }) as never;
}

/** Bytes that are finished, and long. */
type HeldAnswer = {
  readonly pieces: readonly Uint8Array[];
  readonly type: string;
  readonly status?: 200 | 201 | 202;
};

/**
 * Sends finished bytes no faster than the client reads. They are in memory: where there is no room for them, a read is refused, and
 * gives them up at once. What something was done for is told all the same, and counts.
 */
export function answerHeld(
  c: AppContext,
  { downloads, log }: Pick<Broker, "downloads" | "log">,
  { pieces, type, status = 200 }: HeldAnswer,
): never {
  const text = new LargeText(pieces);
  const { sizeBytes } = text;
  const entry = { ...ownerOf(c), bytes: sizeBytes };
  const isRead = c.req.method === "GET" || c.req.method === "HEAD";
  const leave = isRead ? downloads.enterNow(entry) : downloads.hold(entry);
  onClose(c, leave);
  const headers = { "content-length": String(sizeBytes) };
  const parts = thenLeave(text.slices(), leave);
  const sent = { type, parts, headers, status, longestMs: longestAnswerMs };
  return streamAnswer(c, { log }, sent) as never; // bytes, whatever the contract shows
}

/**
 * Waits for the memory of one answer, without the permit that the gate holds: what is read for it by then is read; returns a function that releases it, which happens at the latest
 * when its connection ends.
 */
export async function enterDownloads(
  c: AppContext,
  broker: Broker,
  heldBytes = 0,
): Promise<() => void> {
  c.get("leavePermit")?.();
  const entry = { ...ownerOf(c), bytes: streamedBytes + heldBytes };
  const leave = await broker.downloads.enter(entry, c.req.raw.signal);
  onClose(c, leave);
  return leave;
}

function ownerOf(c: AppContext): { readonly orgId: string; readonly tokenId: string } {
  const { orgId, tokenId, id } = c.get("actor");
  return { orgId, tokenId: tokenId ?? id };
}

/** The same pieces, once; when they are over, or are taken no more or never were, the room is given back. */
export function thenLeave<Piece>(
  pieces: AsyncIterable<Piece> | Iterable<Piece>,
  leave: () => void,
): AsyncIterable<Piece> {
  const taken = taking(pieces, leave);
  const end = async (): Promise<IteratorResult<Piece>> => {
    leave(); // by itself it does so only once it was begun
    return await taken.return(undefined);
  };
  return { [Symbol.asyncIterator]: () => ({ next: () => taken.next(), return: end }) };
}

async function* taking<Piece>(
  pieces: AsyncIterable<Piece> | Iterable<Piece>,
  leave: () => void,
): AsyncGenerator<Piece, void> {
  try {
    yield* pieces;
  } finally {
    leave();
  }
}
