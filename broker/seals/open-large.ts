import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Limiter } from "../database/limiter.ts";
import { makeLoopThrottle } from "./loop-throttle.ts";
import { type SealedThing, type Seals, sealedOverhead } from "./seals.ts";

/** Sealed bytes that are read a piece at a time: where they are, and how many. */
export type LargeSealed = {
  readonly thing: SealedThing;
  readonly keyId: string | null;
  readonly storedBytes: number;
  /** A range of the stored bytes; throws when they are gone. */
  readonly read: (from: number, length: number) => Promise<Buffer>;
};

/** An opened value, ready to be read. */
export type Opened = {
  readonly sizeBytes: number;
  readonly pieces: () => AsyncGenerator<Buffer>;
};

/** What is needed to open a large value. */
export type OpeningParts = { readonly seals: Seals; readonly largeReads: Limiter };

/** Larger values are read in pieces. */
export const mostAtOnceBytes = 256 * 1024;
/** The size of one read. */
const pieceBytes = 256 * 1024;

/** A socket takes a piece in a fraction of a millisecond, and many readers want one at once. */
const throttle = makeLoopThrottle(4);

/** The digest of each sealed piece of a verified value; a piece that is read again must match it. */
type Look = readonly Buffer[];

const mostKnown = 500;
/** Verified values, by what they seal and their tag, which together identify the bytes. */
const looks = new LRUCache<string, Promise<Look>>({ max: mostKnown });
/** Opened pieces, by value and index: many clients read the same plan at once, and each would read and open it again. */
const opened = new LRUCache<string, Buffer>({
  maxSize: 32 * 1024 * 1024,
  sizeCalculation: ({ length }) => length,
  ttl: 10_000,
  ttlAutopurge: true,
});

/**
 * Opens a large value without holding it whole. It is read once to its end before the first byte is returned: refuses
 * what this broker's keys do not open. A change between the two reads cuts the answer off.
 */
export async function openLarge(
  { seals, largeReads }: OpeningParts,
  large: LargeSealed,
): Promise<Opened> {
  const { thing, keyId, storedBytes, read } = large;
  if (keyId === null) return { sizeBytes: storedBytes, pieces: () => stored(0, storedBytes) };
  const { head: headBytes, tag: tagBytes } = sealedOverhead;
  const sizeBytes = Math.max(0, storedBytes - headBytes - tagBytes);
  const [head, tag] = await largeReads(() =>
    Promise.all([read(0, headBytes), read(headBytes + sizeBytes, tagBytes)]),
  );
  const name = [thing.orgId, thing.id, thing.part, tag.toString("hex")].join(" ");
  const openAt = seals.openingAt({ keyId, bytes: head });
  const look = await (looks.get(name) ?? remember(name, lookThrough()));
  return { sizeBytes, pieces };

  async function lookThrough(): Promise<Look> {
    const opening = seals.opening(thing, { keyId, bytes: Buffer.concat([head, tag]) });
    const digests: Buffer[] = [];
    for await (const sealed of stored(headBytes, headBytes + sizeBytes)) {
      opened.set(nameOf(digests.length), opening.update(sealed));
      digests.push(digestOf(sealed));
    }
    opening.end();
    return digests;
  }

  async function* pieces(): AsyncGenerator<Buffer> {
    for (let nth = 0; nth * pieceBytes < sizeBytes; nth++) {
      await throttle(); // cached pieces are there at once: one reader's would all be sent before anybody else's
      yield opened.get(nameOf(nth)) ?? (await openAgain(nth));
    }
  }

  async function openAgain(nth: number): Promise<Buffer> {
    const from = nth * pieceBytes;
    return largeReads(async () => {
      const known = opened.get(nameOf(nth)); // another request may have read it meanwhile
      if (known !== undefined) return known;
      const sealed = await read(headBytes + from, Math.min(pieceBytes, sizeBytes - from));
      if (look[nth]?.equals(digestOf(sealed)) !== true) throw new Error(`${name} was changed`);
      const piece = openAt(from, sealed);
      opened.set(nameOf(nth), piece);
      return piece;
    });
  }

  function nameOf(nth: number): string {
    return `${name} ${nth}`;
  }

  async function* stored(from: number, to: number): AsyncGenerator<Buffer> {
    for (let at = from; at < to; at += pieceBytes) {
      yield await largeReads(() => read(at, Math.min(pieceBytes, to - at)));
    }
  }
}

/** The whole value in memory of its own: for callers that cannot use pieces. */
export async function wholeOf({ sizeBytes, pieces }: Opened): Promise<Uint8Array<ArrayBuffer>> {
  const whole = new Uint8Array(sizeBytes);
  let at = 0;
  for await (const piece of pieces()) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

const digestOf = (bytes: Buffer): Buffer => hash("sha256", bytes, "buffer");

/** Concurrent callers share one verification; a failed one is not kept. */
function remember(name: string, look: Promise<Look>): Promise<Look> {
  looks.set(name, look);
  look.catch(() => looks.delete(name));
  return look;
}
