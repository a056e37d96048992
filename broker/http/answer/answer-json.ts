import type { Broker } from "../../broker.ts";
import type { JsonPlaceholders } from "../../seals/json-placeholders.ts";
import type { AppContext } from "../app-types.ts";
import { enterDownloads, longestAnswerMs, thenLeave } from "./answer-large.ts";
import { asTheirs } from "./as-theirs.ts";
import { streamAnswer } from "./stream-answer.ts";

export type JsonAnswer = {
  readonly value: object;
  readonly placeholders: JsonPlaceholders;
  /** By default 200. */
  readonly status?: 200 | 201;
  /** Gives back the memory that was taken for it before; by default that is taken now. */
  readonly leave?: (() => void) | undefined;
};

/** Sends a value as JSON; large parts are read while they are sent, when there is memory for them. What has its memory already is sent piece by piece, too. */
export async function answerJson(
  c: AppContext,
  broker: Broker,
  { value: ours, placeholders, status = 200, leave }: JsonAnswer,
): Promise<never> {
  const value = asTheirs(c, ours, status);
  if (placeholders.isEmpty && leave === undefined) return c.json(value, status) as never; // as the contract shows it
  const left = leave ?? (await enterDownloads(c, broker, placeholders.heldBytes));
  const { sizeBytes, pieces } = placeholders.filled(value);
  return streamAnswer(c, broker, {
    type: "application/json",
    status,
    parts: thenLeave(pieces(), left),
    longestMs: longestAnswerMs,
    headers: sizeBytes === undefined ? {} : { "content-length": String(sizeBytes) },
  }) as never; // the same JSON
}
