import { createHash } from "node:crypto";
import type { NewSignalBody } from "../../shared/api/new-signal.ts";
import type { Pointer, ProblemError } from "../../shared/problem.ts";
import { signalOutline } from "../../shared/signal-types.ts";
import { callbacksOf, partsOf } from "./signal-callbacks.ts";

const mostBytes = 256 * 1024;

/** What is wrong with data of so many bytes as text, of a signal or of what a callback makes; undefined where they are not too many. */
export function tooLarge(pointer: Pointer, bytes: number): ProblemError | undefined {
  if (bytes <= mostBytes) return undefined;
  const detail = `The data of a signal may have at most ${mostBytes} bytes as text.`;
  return { pointer, code: "too_large", detail };
}

/** What must be the same for a request to enqueue signals to be a repetition of another. */
export const requestFingerprint = (queueId: string, bodies: readonly NewSignalBody[]): string =>
  createHash("sha256")
    .update(JSON.stringify([queueId, bodies]))
    .digest("hex");

/** Leaves of all its data what decides whether it may be filed: what is kept is its text. */
export function cutToOutline(body: NewSignalBody): void {
  body.signal = signalOutline(body.type, body.signal);
  for (const { callback } of callbacksOf(body)) {
    const { type, value } = partsOf(callback);
    const outline = signalOutline(type, value) as never; // as the schema of its type has it
    if (callback.signal !== undefined) callback.signal.signal = outline;
    else if (callback.runner_job !== undefined) callback.runner_job = outline;
    else callback.http_call = outline;
  }
}
