import { describe, expect, test } from "vitest";
import { readTar } from "./read-tar.ts";

/** Bytes that say whether they were let go of. */
function bytesOf(pieces: readonly Uint8Array[]) {
  const state = { isClosed: false };
  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      yield* pieces;
      await Promise.resolve();
    } finally {
      state.isClosed = true;
    }
  }
  return { state, chunks: chunks() };
}

const end = Buffer.alloc(1024);

describe("where a tar archive comes from", () => {
  test("is let go of at the archive's end, though there is more of it", async () => {
    const { state, chunks } = bytesOf([end, Buffer.alloc(2 ** 20, 1), Buffer.alloc(2 ** 20, 1)]);
    const names: string[] = [];
    for await (const { name } of readTar(chunks, (words) => new Error(words))) names.push(name);
    expect({ names, ...state }).toEqual({ names: [], isClosed: true });
  });

  test("is let go of when the archive is refused", async () => {
    const { state, chunks } = bytesOf([Buffer.alloc(512, 1), end]);
    const reading = async (): Promise<void> => {
      for await (const _ of readTar(chunks, (words) => new Error(words)));
    };
    await expect(reading()).rejects.toThrow("the archive is not a valid tar archive");
    expect(state.isClosed).toBe(true);
  });
});
