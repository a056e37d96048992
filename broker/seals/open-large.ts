import type { Lane } from "../database/make-lane.ts";
import { type Sealed, type SealedThing, type Seals, sealedOverhead } from "./seals.ts";

/** Sealed bytes that are read a piece at a time: where they are, and how many. */
export type LargeSealed = {
  readonly thing: SealedThing;
  readonly keyId: string | null;
  readonly storedBytes: number;
  /** Some of the stored bytes; throws when they are not there any more. */
  readonly read: (from: number, length: number) => Promise<Buffer>;
};

/** What was sealed, ready to be read. */
export type Opened = {
  readonly sizeBytes: number;
  readonly pieces: () => AsyncGenerator<Buffer>;
};

type Parts = { readonly seals: Seals; readonly readLane: Lane };

/** What is larger is read in pieces. */
export const mostAtOnceBytes = 256 * 1024;
/** So much is read in one statement. */
const pieceBytes = 256 * 1024;
const mostKnown = 2_000;
/** Looks through seals to their end, by what they seal and their last bytes: both say which bytes they are. */
const looks = new Map<string, Promise<void>>();

/**
 * Opens what is large without ever having it whole. Before its first byte is told it was read once to its end: refuses
 * what this broker's keys do not open. What is changed between the two cuts the answer off.
 */
export async function openLarge({ seals, readLane }: Parts, large: LargeSealed): Promise<Opened> {
  const { thing, keyId, storedBytes, read } = large;
  if (keyId === null) return { sizeBytes: storedBytes, pieces: () => stored(0, storedBytes) };
  const { head: headBytes, tag: tagBytes } = sealedOverhead;
  const sizeBytes = Math.max(0, storedBytes - headBytes - tagBytes);
  const [head, tag] = await readLane(() =>
    Promise.all([read(0, headBytes), read(headBytes + sizeBytes, tagBytes)]),
  );
  const sealed: Sealed = { keyId, bytes: Buffer.concat([head, tag]) };
  const name = [thing.orgId, thing.id, thing.part, tag.toString("hex")].join(" ");
  await (looks.get(name) ?? remember(name, lookThrough()));
  return { sizeBytes, pieces };

  async function lookThrough(): Promise<void> {
    for await (const _ of pieces()) continue;
  }

  async function* pieces(): AsyncGenerator<Buffer> {
    const opening = seals.opening(thing, sealed);
    for await (const piece of stored(headBytes, headBytes + sizeBytes)) {
      yield opening.update(piece);
    }
    opening.end();
  }

  async function* stored(from: number, to: number): AsyncGenerator<Buffer> {
    for (let at = from; at < to; at += pieceBytes) {
      yield await readLane(() => read(at, Math.min(pieceBytes, to - at)));
    }
  }
}

/** Who asks meanwhile waits for the same look; one that refuses is made again. */
function remember(name: string, look: Promise<void>): Promise<void> {
  const [oldest] = looks.keys();
  if (looks.size >= mostKnown && oldest !== undefined) looks.delete(oldest);
  looks.set(name, look);
  look.catch(() => looks.delete(name));
  return look;
}
