import { setImmediate as nextTurn } from "node:timers/promises";
import type { Broker } from "../../broker.ts";
import { jsonPieces } from "../../json-pieces.ts";
import type { AppContext } from "../app-types.ts";
import { answerFinished, type Finished } from "./answer-finished.ts";
import { asTheirs } from "./as-theirs.ts";

/** So much is written before others have their turn. */
const turnLetters = 256 * 1024;

/** JSON that is there already, as the last member of a value. */
type Last = { readonly last?: { readonly name: string; readonly json: Uint8Array } };

/** Answers a value that may be long, as what lists tell of configs may be: it becomes JSON in pieces, and others are answered in between. */
export async function answerInTurns(
  c: AppContext,
  broker: Pick<Broker, "downloads" | "log">,
  value: object,
  { last, ...finished }: Finished & Last = {},
): Promise<never> {
  const parts: Uint8Array[] = [];
  let texts: string[] = [];
  let letters = 0;
  const pieces = jsonPieces(asTheirs(c, value, finished.status ?? 200));
  for (const piece of last === undefined ? pieces : openPieces(pieces, last.name)) {
    texts.push(piece);
    letters += piece.length;
    if (letters < turnLetters) continue;
    parts.push(Buffer.from(texts.join("")));
    texts = [];
    letters = 0;
    await nextTurn();
  }
  const rest = last === undefined ? [] : [last.json, "}"];
  return answerFinished(c, broker, [...parts, texts.join(""), ...rest], finished);
}

/** The same without the last brace, and with the name of one more member. */
function* openPieces(pieces: Iterable<string>, name: string): Generator<string> {
  let held = "";
  for (const piece of pieces) {
    yield held;
    held = piece;
  }
  yield `${held.slice(0, -1)},${JSON.stringify(name)}:`;
}
