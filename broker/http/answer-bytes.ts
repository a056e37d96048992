import type { AppContext } from "./app-types.ts";

/** Bytes that are read piece by piece, and what is known of the whole. */
export type BytesToAnswer = {
  readonly sizeBytes: number;
  readonly md5: Buffer;
  readonly pieces: () => AsyncGenerator<Buffer>;
};

/** Sends the bytes no faster than they are taken; what their beginning is refused for is refused whole. */
export async function answerBytes(
  c: AppContext,
  { sizeBytes, md5, pieces }: BytesToAnswer,
  type = "application/json",
): Promise<never> {
  const reading = pieces();
  const first = await reading.next();
  const headers = {
    "content-type": type,
    "content-length": String(sizeBytes),
    "content-md5": md5.toString("base64"),
  };
  const body = ReadableStream.from(withFirst(first, reading));
  return c.body(body, 200, headers) as never; // bytes, whatever the contract shows
}

async function* withFirst(
  first: IteratorResult<Buffer, unknown>,
  rest: AsyncGenerator<Buffer>,
): AsyncGenerator<Buffer> {
  if (first.done === true) return;
  yield first.value;
  yield* rest;
}
