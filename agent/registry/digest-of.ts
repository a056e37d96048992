import { createHash } from "node:crypto";

/** The digest of some bytes: `sha256:…`, or by the algorithm named. */
export function digestOf(bytes: Uint8Array, algorithm = "sha256"): string {
  return `${algorithm}:${createHash(algorithm).update(bytes).digest("hex")}`;
}

/** The algorithm of a digest: `sha256` or `sha512`, as the callers have checked. */
export const algorithmOf = (digest: string): string => digest.split(":")[0] ?? "sha256";
