import { setImmediate as turn } from "node:timers/promises";
import { type Pointer, problem } from "../../../shared/problem.ts";

/** Where the pieces of a value end in its JSON: the items of the one list that it consists of, or all of it. */
export type PieceEnds = { readonly list?: string; readonly ends: readonly number[] };

/** More than any route's schema lets a piece have: a piece is parsed in one go. */
const usualMostBytes = 4 * 1024 * 1024;

/** The JSON of a value in pieces that can be parsed one after the other; 422 that names the member by which one is too large for it. */
export function toPieces(
  value: Readonly<Record<string, unknown>>,
  mostBytes = usualMostBytes,
): { readonly told: PieceEnds; readonly json: Buffer } {
  const [[list, items] = ["", undefined], ...others] = Object.entries(value);
  const isList = others.length === 0 && Array.isArray(items);
  const all = isList ? (items as object[]) : [value]; // every list of a large body has objects
  const ends: number[] = [];
  let end = 0;
  const pieces = all.map((item, at) => {
    const json = Buffer.from(JSON.stringify(item));
    if (json.length > mostBytes) throw tooLarge(isList ? `#/${list}/${at}` : "#", item, mostBytes);
    ends.push((end += json.length));
    return json;
  });
  return { told: { ends, ...(isList && { list }) }, json: Buffer.concat(pieces, end) };
}

/** Most of it is one member, and that is named. */
function tooLarge(pointer: "#" | `#/${string}`, item: object, mostBytes: number): Error {
  const sizes = Object.entries(item).map(([name, member]) => {
    return { name, size: JSON.stringify(member)?.length ?? 0 };
  });
  const [longest] = sizes.toSorted((a, b) => b.size - a.size);
  const at: Pointer = `${pointer}/${longest?.name ?? ""}`;
  const detail = `This is too large: with what stands beside it, it may have at most ${mostBytes} bytes as JSON.`;
  return problem.invalid([{ pointer: at, code: "too_large", detail }]);
}

/** So much is parsed before others have their turn. */
const turnBytes = 256 * 1024;

/** The value of pieces; the event loop runs in between. */
export async function fromPieces({ list, ends }: PieceEnds, json: Buffer): Promise<object> {
  const items: object[] = [];
  let [start, parsedBytes] = [0, 0];
  for (const end of ends) {
    items.push(JSON.parse(json.toString("utf8", start, end)) as object); // as toPieces wrote it
    parsedBytes += end - start;
    start = end;
    if (parsedBytes < turnBytes) continue;
    parsedBytes = 0;
    await turn();
  }
  return list === undefined ? (items[0] ?? {}) : { [list]: items };
}
