/** One item of an array is longer than the limit; reading again does not help. */
export class ItemTooLong extends Error {}

/**
 * Streams the objects of a JSON array as bytes, with at most one in memory. Throws ItemTooLong, and another error for
 * input that is no array or breaks off.
 */
export async function* jsonItems(
  chunks: AsyncIterable<Buffer>,
  mostBytes: number,
): AsyncGenerator<Buffer> {
  const place = { depth: 0, isBegun: false, isOpened: false, isInText: false, isEscaped: false };
  let held: Buffer[] = [];
  let heldBytes = 0;
  let isWhole = false;
  const hold = (part: Buffer): void => {
    heldBytes += part.length;
    if (heldBytes > mostBytes) throw new ItemTooLong(`it has more than ${mostBytes} bytes`);
    held.push(part);
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = stepTo(place, chunk, 0); at < chunk.length; at = stepTo(place, chunk, at + 1)) {
      if (place.depth === 2 && place.isOpened) from = at;
      if (place.depth === 1 && !place.isOpened) {
        hold(chunk.subarray(from, at + 1));
        yield Buffer.concat(held, heldBytes);
        [held, heldBytes] = [[], 0];
      }
      isWhole = place.depth === 0;
    }
    if (place.depth > 1) hold(chunk.subarray(from));
  }
  if (!isWhole) throw new Error("it is not an array, or it is cut off");
}

type Place = {
  depth: number;
  /** The array was opened once. */
  isBegun: boolean;
  isOpened: boolean;
  isInText: boolean;
  isEscaped: boolean;
};

const [quote, backslash] = [0x22, 0x5c];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];
const [comma, blanks] = [0x2c, [0x20, 0x09, 0x0a, 0x0d]];

/**
 * The position of the next byte that opens or closes an array or an object; the chunk's length if there is none. All
 * such bytes are ASCII and never part of a longer character in UTF-8.
 */
function stepTo(place: Place, chunk: Buffer, from: number): number {
  let { isInText, isEscaped } = place;
  const isOutside = place.depth < 2; // of any item
  for (let at = from; at < chunk.length; at++) {
    const byte = chunk[at] ?? 0;
    if (isOutside && !mayStandOutside(place, byte))
      throw new Error("it is not an array of objects");
    if (isEscaped) isEscaped = false;
    else if (byte === quote) isInText = !isInText;
    else if (isInText) isEscaped = byte === backslash;
    else if (
      byte === openList ||
      byte === openObject ||
      byte === closeList ||
      byte === closeObject
    ) {
      place.isOpened = byte === openList || byte === openObject;
      place.depth += place.isOpened ? 1 : -1;
      place.isBegun = true;
      place.isInText = false;
      place.isEscaped = false;
      return at;
    }
  }
  place.isInText = isInText;
  place.isEscaped = isEscaped;
  return chunk.length;
}

/**
 * Outside of items there is one array, and in it only commas. What an item holds is left to its reader: a proxy's own
 * page or message must never be read as a list without items.
 */
function mayStandOutside({ depth, isBegun }: Place, byte: number): boolean {
  if (blanks.includes(byte)) return true;
  if (depth === 0) return byte === openList && !isBegun;
  return byte === comma || byte === openObject || byte === closeList;
}
