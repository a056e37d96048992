/** An error of these words, as whoever reads wants it. */
export type FaultOf = (words: string) => Error;

/** Reads a stream in pieces of the wanted size. */
export type ByteReader = {
  /** Reads exactly this many bytes; undefined at the end. Throws when the stream ends within them. */
  readonly take: (count: number) => Promise<Buffer | undefined>;
  /** The same number of bytes, in chunks as they arrive. */
  readonly stream: (count: number) => AsyncGenerator<Uint8Array>;
  /** All that is left, in chunks as they arrive. */
  readonly rest: () => AsyncGenerator<Uint8Array>;
  /** Closes the source of the bytes, whether it was read to its end or not. */
  readonly close: () => Promise<void>;
};

/** Makes a reader of a stream. */
export function makeByteReader(chunks: AsyncIterable<Uint8Array>, faultOf: FaultOf): ByteReader {
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
      if (!(await fill())) throw faultOf("the archive is truncated");
      const piece = held.subarray(0, left);
      held = held.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }
  async function* rest(): AsyncGenerator<Uint8Array> {
    while (await fill()) {
      const piece = held;
      held = new Uint8Array(0);
      yield piece;
    }
  }
  return {
    stream,
    rest,
    close: async () => void (await source.return?.()),
    take: async (count) => {
      if (!(await fill())) return undefined;
      const pieces: Uint8Array[] = [];
      for await (const piece of stream(count)) pieces.push(piece);
      return Buffer.concat(pieces);
    },
  };
}
