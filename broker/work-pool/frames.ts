import type { Writable } from "node:stream";

/** What a broker and its child processes say to each other: a small head as JSON, and bytes as they are. */
export type Frame = { readonly head: object; readonly parts: readonly Uint8Array[] };

/** Our own programs write them: more means that a program went wrong. */
const mostBytes = 1024 ** 3;

/** Writes one frame. Parts are not copied: leave them as they are until it has been answered. */
export function writeFrame(to: Writable, { head, parts }: Frame): void {
  const sizes = parts.map(({ length }) => length);
  const text = Buffer.from(JSON.stringify({ head, sizes }));
  const size = Buffer.alloc(4);
  size.writeUInt32LE(text.length);
  to.write(Buffer.concat([size, text]));
  for (const part of parts) if (part.length > 0) to.write(part);
}

type Begun = { readonly head: object; readonly parts: readonly Buffer[]; next: number };

/** Takes chunks as they come, and tells of each frame once it is whole. */
export function frameReader(onFrame: (frame: Frame) => void): (chunk: Uint8Array) => void {
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
  const take = (): void => {
    if (begun !== undefined) return goOn(begun);
    isSize = !isSize;
    if (!isSize) return fill(room(filling.readUInt32LE()));
    begun = begunBy(filling);
    goOn(begun);
  };
  return (chunk) => {
    for (let at = 0; at < chunk.length;) {
      const many = Math.min(chunk.length - at, filling.length - filled);
      filling.set(chunk.subarray(at, at + many), filled);
      at += many;
      filled += many;
      if (filled === filling.length) take();
    }
  };
}

function begunBy(text: Buffer): Begun {
  const { head, sizes } = JSON.parse(text.toString("utf8")) as { head: object; sizes: number[] }; // by writeFrame
  return { head, parts: sizes.map(room), next: 0 };
}

function room(size: number): Buffer {
  if (size > mostBytes) throw new Error(`a frame of ${size} bytes is none of ours`);
  return Buffer.allocUnsafeSlow(size);
}
