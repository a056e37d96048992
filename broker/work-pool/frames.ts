import type { Writable } from "node:stream";

/** Bytes that are read piece by piece while they are sent, so that they are never whole in memory here. */
export type StreamedPart = {
  readonly sizeBytes: number;
  readonly pieces: () => AsyncIterable<Uint8Array>;
};
/** Bytes to send: at hand, or still to be read. */
export type SentPart = Uint8Array | StreamedPart;

/** What a broker and its child processes say to each other: a small head as JSON, and bytes as they are, which the reader of the frame owns. */
export type Frame = { readonly head: object; readonly parts: Buffer<ArrayBuffer>[] };
/** One that is to be sent. */
export type SentFrame = { readonly head: object; readonly parts: readonly SentPart[] };

/** Our own programs write them: more means that a program went wrong. */
const mostBytes = 1024 ** 3;

/** How many bytes a part has. */
export const sizeOf = (part: SentPart): number =>
  part instanceof Uint8Array ? part.length : part.sizeBytes;

/**
 * Writes one frame. Parts are not copied: leave them as they are until it has been answered. Throws what reading a
 * part throws; the frame is broken then. That the other side is gone is told by its end, not here.
 */
export async function writeFrame(to: Writable, { head, parts }: SentFrame): Promise<void> {
  const text = Buffer.from(JSON.stringify({ head, sizes: parts.map(sizeOf) }));
  const size = Buffer.alloc(4);
  size.writeUInt32LE(text.length);
  to.write(Buffer.concat([size, text]));
  for (const part of parts) {
    if (!(part instanceof Uint8Array)) await writePieces(to, part);
    else if (part.length > 0) to.write(part);
  }
}

/** The next piece is read when the last one is on its way. */
async function writePieces(to: Writable, { sizeBytes, pieces }: StreamedPart): Promise<void> {
  let sent = 0;
  for await (const piece of pieces()) {
    sent += piece.length;
    if (sent > sizeBytes || to.destroyed) break;
    await new Promise<void>((resolve) => to.write(piece, () => resolve()));
  }
  if (sent !== sizeBytes && !to.destroyed) throw new Error(`${sent} bytes came of ${sizeBytes}`);
}

type Begun = Frame & { next: number };

/** Reads frames: by chunks as they come, or into what it says is to be filled next. */
export type FrameReader = {
  readonly take: (chunk: Uint8Array) => void;
  /** What is to be filled next: bytes that are written here are where they belong. */
  readonly next: () => Uint8Array;
  /** So many bytes have been written there. */
  readonly took: (bytes: number) => void;
};

/** A reader that tells of each frame once it is whole. */
export function frameReader(onFrame: (frame: Frame) => void): FrameReader {
  let filling: Buffer = Buffer.alloc(4);
  let filled = 0;
  let isSize = true;
  let begun: Begun | undefined;
  const fill = (next: Buffer): void => {
    filling = next;
    filled = 0;
  };
  /** The next part that has bytes is filled; with the last, the frame is whole. */
  const goOn = (frame: Begun): void => {
    while (frame.parts[frame.next]?.length === 0) frame.next += 1;
    const part = frame.parts[frame.next++];
    if (part !== undefined) return fill(part);
    begun = undefined;
    fill(Buffer.alloc(4));
    onFrame({ head: frame.head, parts: frame.parts });
  };
  const go = (): void => {
    if (begun !== undefined) return goOn(begun);
    isSize = !isSize;
    if (!isSize) return fill(room(filling.readUInt32LE()));
    begun = begunBy(filling);
    goOn(begun);
  };
  const took = (bytes: number): void => {
    filled += bytes;
    if (filled === filling.length) go();
  };
  return {
    next: () => filling.subarray(filled),
    took,
    take(chunk) {
      for (let at = 0; at < chunk.length;) {
        const many = Math.min(chunk.length - at, filling.length - filled);
        filling.set(chunk.subarray(at, at + many), filled);
        at += many;
        took(many);
      }
    },
  };
}

function begunBy(text: Buffer): Begun {
  const { head, sizes } = JSON.parse(text.toString("utf8")) as { head: object; sizes: number[] }; // by writeFrame
  return { head, parts: sizes.map(room), next: 0 };
}

function room(size: number): Buffer<ArrayBuffer> {
  if (size > mostBytes) throw new Error(`a frame of ${size} bytes is none of ours`);
  return Buffer.allocUnsafeSlow(size);
}
