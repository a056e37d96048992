import { createHmac, randomBytes } from "node:crypto";

/** A key for the fingerprint of one plan. */
export const newKey = (): string => randomBytes(32).toString("hex");

/**
 * The same for the same, by the same key. Values of variables are in it, and some could be guessed: only who has the
 * approved plan has the key, and no outputs or display.
 */
export function fingerprintOf(what: string, key: string): string {
  return createHmac("sha256", Buffer.from(key, "hex")).update(what).digest("hex");
}
