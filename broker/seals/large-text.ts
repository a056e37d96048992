import { createHash } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";

const sliceBytes = 256 * 1024;

/** Text that is too long for one buffer: its bytes, in the pieces in which they arrived. */
export class LargeText {
  readonly #pieces: readonly Uint8Array[];

  constructor(pieces: readonly Uint8Array[]) {
    this.#pieces = pieces;
  }

  get sizeBytes(): number {
    return this.#pieces.reduce((sum, piece) => sum + piece.length, 0);
  }

  /** Its bytes, at most a quarter of a mebibyte at a time. */
  *slices(): Generator<Uint8Array> {
    for (const piece of this.#pieces) {
      for (let at = 0; at < piece.length; at += sliceBytes) {
        yield piece.subarray(at, at + sliceBytes);
      }
    }
  }

  /** The digest of the whole text; the event loop runs in between. */
  async sha256(): Promise<Buffer> {
    const digest = createHash("sha256");
    for (const slice of this.slices()) {
      digest.update(slice);
      await turn();
    }
    return digest.digest();
  }

  /** The whole text: for callers that cannot use pieces. */
  toString(): string {
    return Buffer.concat(this.#pieces).toString("utf8");
  }
}
