import type { Broker } from "../../broker.ts";
import type { AppContext } from "../app-types.ts";
import { largeBytes } from "../body/reserve-memory.ts";
import { answerHeld } from "./answer-large.ts";

/** By default 200, and JSON. */
export type Finished = { readonly status?: 200 | 201 | 202; readonly type?: string };

/** Answers what was made ready elsewhere: texts, and bytes as they are, which are not copied where they are long. There must be room for a long one. */
export function answerFinished(
  c: AppContext,
  broker: Pick<Broker, "downloads" | "log">,
  parts: readonly (string | Uint8Array)[],
  { status = 200, type = "application/json" }: Finished = {},
): never {
  const pieces = parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part));
  const sizeBytes = pieces.reduce((sum, { length }) => sum + length, 0);
  if (sizeBytes > largeBytes) return answerHeld(c, broker, { pieces, type, status });
  return c.body(Buffer.concat(pieces, sizeBytes), status, { "content-type": type }) as never; // bytes, whatever the contract shows
}
