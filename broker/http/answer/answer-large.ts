import type { Broker } from "../../broker.ts";
import type { TextInPieces } from "../../seals/json-placeholders.ts";
import { type LargeSealed, openLarge } from "../../seals/open-large.ts";
import type { AppContext } from "../app-types.ts";
import { onClose } from "./on-close.ts";
import { streamAnswer } from "./stream-answer.ts";

/** What an answer takes of memory that is read, opened and sent piece by piece. */
const streamedBytes = 1024 * 1024;
/** So long such an answer may hold its room; as long as the largest takes at 600 kbit/s. */
export const longestAnswerMs = 15 * 60_000;

/** Sends what is sealed no faster than it is taken, when there is room; refused before its first byte, or sent whole. */
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

/** Sends a text that is made while it is sent, when there is room for what that takes. */
export async function answerText(
  c: AppContext,
  broker: Broker,
  { text, type }: { readonly text: TextInPieces; readonly type: string },
): Promise<never> {
  const leave = await enterDownloads(c, broker, text.heldBytes);
  const parts = thenLeave(text.pieces(), leave);
  return streamAnswer(c, broker, { type, parts, longestMs: longestAnswerMs }) as never;
}

/**
 * Waits for room for one answer, and for what it holds besides; answers how to give it back, which happens at the latest
 * when its connection ends.
 */
export async function enterDownloads(
  c: AppContext,
  broker: Broker,
  heldBytes = 0,
): Promise<() => void> {
  const { orgId, tokenId, id } = c.get("actor");
  const entry = { orgId, tokenId: tokenId ?? id, bytes: streamedBytes + heldBytes };
  const leave = await broker.downloads.enter(entry, c.req.raw.signal);
  onClose(c, leave);
  return leave;
}

/** The same pieces; when they are over, or are taken no more, the room is given back. */
export async function* thenLeave(
  pieces: AsyncGenerator<Buffer>,
  leave: () => void,
): AsyncGenerator<Buffer> {
  try {
    yield* pieces;
  } finally {
    leave();
  }
}
