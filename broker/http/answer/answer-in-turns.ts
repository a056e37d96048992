import { setImmediate as nextTurn } from "node:timers/promises";
import type { Broker } from "../../broker.ts";
import { jsonPieces } from "../../json-pieces.ts";
import type { AppContext } from "../app-types.ts";
import { answerFinished, type Finished } from "./answer-finished.ts";
import { asTheirs } from "./as-theirs.ts";

/** So much is written before others have their turn. */
const turnLetters = 256 * 1024;

/** Answers a value that may be long, as what lists tell of configs may be: it becomes JSON in pieces, and others are answered in between. */
export async function answerInTurns(
  c: AppContext,
  broker: Pick<Broker, "downloads" | "log">,
  value: object,
  finished: Finished = {},
): Promise<never> {
  const parts: Buffer[] = [];
  let texts: string[] = [];
  let letters = 0;
  for (const piece of jsonPieces(asTheirs(c, value, finished.status ?? 200))) {
    texts.push(piece);
    letters += piece.length;
    if (letters < turnLetters) continue;
    parts.push(Buffer.from(texts.join("")));
    texts = [];
    letters = 0;
    await nextTurn();
  }
  return answerFinished(c, broker, [...parts, texts.join("")], finished);
}
