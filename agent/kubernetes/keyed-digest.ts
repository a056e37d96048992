import { createHmac, randomBytes } from "node:crypto";

/** Makes a key for the digests of one plan. */
export const newKey = (): string => randomBytes(32).toString("hex");

/**
 * A keyed digest. Its input may contain secrets that are short enough to be guessed, so only the approved plan has the
 * key; outputs, displays and logs do not.
 */
export function keyedDigest(what: string, key: string): string {
  return createHmac("sha256", Buffer.from(key, "hex")).update(what).digest("hex");
}
