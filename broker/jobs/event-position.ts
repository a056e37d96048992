/**
 * A follower's position among an org's job events: all up to here were delivered. Events are ordered by
 * (transaction, number); both only grow.
 */
export type EventPosition = { readonly tx: bigint; readonly seq: number };

/** Before every event that is kept. */
export const oldestPosition: EventPosition = { tx: 0n, seq: 0 };

/** Whether the first position is after the second. */
export function isAfter(one: EventPosition, other: EventPosition): boolean {
  return one.tx === other.tx ? one.seq > other.seq : one.tx > other.tx;
}

/** The position as an opaque cursor. */
export function toCursor({ tx, seq }: EventPosition): string {
  return Buffer.from(`e1.${tx}.${seq}`).toString("base64url");
}

/** The position of a cursor; undefined when it is invalid. */
export function fromCursor(cursor: string): EventPosition | undefined {
  const text = Buffer.from(cursor, "base64url").toString("utf8");
  const match = /^e1\.(\d{1,19})\.(\d{1,15})$/.exec(text);
  return match === null ? undefined : { tx: BigInt(match[1] ?? ""), seq: Number(match[2]) };
}
