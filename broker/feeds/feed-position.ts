/**
 * A follower's position in an org's feed: all up to here were delivered. What is in a feed is ordered by (transaction, number); both only
 * grow.
 */
export type FeedPosition = { readonly tx: bigint; readonly n: number };

/** Before everything that is kept. */
export const oldestPosition: FeedPosition = { tx: 0n, n: 0 };

/** Whether the first position is after the second. */
export function isAfter(one: FeedPosition, other: FeedPosition): boolean {
  return one.tx === other.tx ? one.n > other.n : one.tx > other.tx;
}

/** The position as an opaque cursor. */
export function toCursor({ tx, n }: FeedPosition): string {
  return Buffer.from(`e1.${tx}.${n}`).toString("base64url");
}

/** The position of a cursor; undefined when it is invalid. */
export function fromCursor(cursor: string): FeedPosition | undefined {
  const text = Buffer.from(cursor, "base64url").toString("utf8");
  const match = /^e1\.(\d{1,19})\.(\d{1,15})$/.exec(text);
  return match === null ? undefined : { tx: BigInt(match[1] ?? ""), n: Number(match[2]) };
}
