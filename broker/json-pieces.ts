import { isLonger } from "./is-longer.ts";

/** What is no longer is one piece. */
const pieceLetters = 64 * 1024;

/** The JSON of a value in pieces: a long list or table by what is in it. Only a text that is long itself makes a long piece. */
export function* jsonPieces(value: unknown): Generator<string> {
  if (typeof value !== "object" || value === null || !isLonger(value, pieceLetters))
    yield JSON.stringify(value) ?? "null";
  else if (Array.isArray(value)) yield* piecesOfList(value);
  else yield* piecesOfTable(value);
}

function* piecesOfList(list: readonly unknown[]): Generator<string> {
  let before = "[";
  for (const one of list) {
    yield before;
    yield* jsonPieces(one);
    before = ",";
  }
  yield "]";
}

function* piecesOfTable(table: object): Generator<string> {
  let before = "{";
  for (const [name, one] of Object.entries(table)) {
    if (one === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    yield* jsonPieces(one);
    before = ",";
  }
  yield before === "{" ? "{}" : "}";
}
