import { SourceFault } from "../source-failure.ts";

/** Bytes that come in pieces of any size, taken in pieces of the size that is wanted. */
export type ByteReader = {
  /** So many bytes; nothing at the very end. Throws SourceFault when it ends within them. */
  readonly take: (count: number) => Promise<Buffer | undefined>;
  /** As many, as they come. */
  readonly stream: (count: number) => AsyncGenerator<Uint8Array>;
  /** Lets go of where the bytes come from, read to its end or not. */
  readonly close: () => Promise<void>;
};

/** Reads a stream by counts. */
export function makeByteReader(chunks: AsyncIterable<Uint8Array>): ByteReader {
  const source = chunks[Symbol.asyncIterator]();
  let held: Uint8Array = new Uint8Array(0);

  const fill = async (): Promise<boolean> => {
    while (held.length === 0) {
      const next = await source.next();
      if (next.done === true) return false;
      held = next.value;
    }
    return true;
  };
  async function* stream(count: number): AsyncGenerator<Uint8Array> {
    let left = count;
    while (left > 0) {
      if (!(await fill())) throw brokenOff();
      const piece = held.subarray(0, left);
      held = held.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }
  return {
    stream,
    close: async () => void (await source.return?.()),
    take: async (count) => {
      if (!(await fill())) return undefined;
      const pieces: Uint8Array[] = [];
      for await (const piece of stream(count)) pieces.push(piece);
      return Buffer.concat(pieces);
    },
  };
}

function brokenOff(): SourceFault {
  return new SourceFault("unsafe", "the archive is truncated");
}
