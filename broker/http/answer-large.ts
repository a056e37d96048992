import type { Broker } from "../broker.ts";
import { type LargeSealed, openLarge } from "../seals/open-large.ts";
import type { AppContext } from "./app-types.ts";
import { streamAnswer } from "./stream-answer.ts";

/** What an answer takes of memory that is read, opened and sent piece by piece. */
const streamedBytes = 1024 * 1024;

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
    return streamAnswer(c, broker, { type, parts: thenLeave(pieces(), leave), headers }) as never;
  } catch (error) {
    leave();
    throw error;
  }
}

/** Waits for room for one answer; answers how to give it back, which happens at the latest when its connection ends. */
export async function enterDownloads(c: AppContext, broker: Broker): Promise<() => void> {
  const { orgId, tokenId, id } = c.get("actor");
  const entry = { orgId, tokenId: tokenId ?? id, bytes: streamedBytes };
  const leave = await broker.downloads.enter(entry, c.req.raw.signal);
  c.env?.outgoing?.once("close", leave);
  return leave;
}

async function* thenLeave(
  pieces: AsyncGenerator<Buffer>,
  leave: () => void,
): AsyncGenerator<Buffer> {
  try {
    yield* pieces;
  } finally {
    leave();
  }
}
