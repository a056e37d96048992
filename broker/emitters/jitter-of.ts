import { createHash } from "node:crypto";

/** An emitter's place in its window: the same each time, and spread evenly over emitters. 0 without a window. */
export function jitterOf(emitterId: string, windowNs: number): number {
  if (windowNs <= 0) return 0;
  const digest = createHash("sha256").update(emitterId).digest();
  return Number(digest.readBigUInt64BE() % BigInt(windowNs));
}
