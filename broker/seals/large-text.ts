import { createHash } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";

const sliceBytes = 256 * 1024;

/** Text that is too long to be handled as one: its bytes, in pieces that lie where they came. */
export class LargeText {
  readonly #pieces: readonly Uint8Array[];

  constructor(pieces: readonly Uint8Array[]) {
    this.#pieces = pieces;
  }

  get sizeBytes(): number {
    return this.#pieces.reduce((sum, piece) => sum + piece.length, 0);
  }

  /** Its bytes, a quarter of a mebibyte at a time at the most. */
  *slices(): Generator<Uint8Array> {
    for (const piece of this.#pieces) {
      for (let at = 0; at < piece.length; at += sliceBytes) {
        yield piece.subarray(at, at + sliceBytes);
      }
    }
  }

  /** The digest of all of it; others get their turn meanwhile. */
  async sha256(): Promise<Buffer> {
    const digest = createHash("sha256");
    for (const slice of this.slices()) {
      digest.update(slice);
      await turn();
    }
    return digest.digest();
  }

  /** All of it as one: for who has no other way. */
  toString(): string {
    return Buffer.concat(this.#pieces).toString("utf8");
  }
}
