import { hash } from "node:crypto";
import type { IdPrefix } from "../../shared/id-prefixes.ts";
import { digitsOf, leastId, newId } from "./new-id.ts";

/**
 * The id of the thing that a request makes: the same each time, where it has an idempotency key. A broker that is killed between the
 * work and the note of its answer leaves a request that is made again: it finds what it made, and makes no second one. `of` tells
 * apart what one request makes.
 */
export function keyedId(
  prefix: IdPrefix,
  requestSeed: string | undefined,
  ...of: readonly string[]
): string {
  if (requestSeed === undefined) return newId(prefix);
  const digits = keyedEnd(requestSeed, ...of);
  return leastId(prefix, Number.parseFloat(requestSeed)).slice(0, -digits.length) + digits;
}

/** How the ids of what a request makes end, where they must sort by when it is made: by that it finds what it made. */
export function keyedEnd(requestSeed: string, ...of: readonly string[]): string {
  return digitsOf(hash("sha256", [requestSeed, ...of].join("\0"), "buffer"));
}
