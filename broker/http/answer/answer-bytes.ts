import type { Broker } from "../../broker.ts";
import type { AppContext } from "../app-types.ts";
import { streamAnswer } from "./stream-answer.ts";

/** Bytes that are read piece by piece, and the known facts about the whole. */
export type BytesToAnswer = {
  readonly sizeBytes: number;
  readonly md5: Buffer;
  readonly pieces: () => AsyncGenerator<Buffer>;
};

/** Sends the bytes no faster than the client reads; an error before the first byte is answered as an error. */
export async function answerBytes(
  c: AppContext,
  broker: Pick<Broker, "log">,
  { sizeBytes, md5, pieces }: BytesToAnswer,
  type = "application/json",
): Promise<never> {
  const headers = { "content-length": String(sizeBytes), "content-md5": md5.toString("base64") };
  const parts = await begun(pieces());
  return streamAnswer(c, broker, { type, parts, headers }) as never; // bytes, whatever the contract shows
}

/** The same parts; the first is read already, and its faults are told here. */
export async function begun(parts: AsyncGenerator<Buffer>): Promise<AsyncGenerator<Buffer>> {
  return withFirst(await parts.next(), parts);
}

async function* withFirst(
  first: IteratorResult<Buffer, unknown>,
  rest: AsyncGenerator<Buffer>,
): AsyncGenerator<Buffer> {
  if (first.done === true) return;
  yield first.value;
  yield* rest;
}
