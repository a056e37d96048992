import { createHmac, randomBytes } from "node:crypto";

/** A key for the digests of one plan. */
export const newKey = (): string => randomBytes(32).toString("hex");

/**
 * The same for the same, by the same key. What it is made of may hold secrets that are short enough to be guessed: only
 * who has the approved plan has the key, and no outputs, display or log.
 */
export function keyedDigest(what: string, key: string): string {
  return createHmac("sha256", Buffer.from(key, "hex")).update(what).digest("hex");
}
