import { hash } from "node:crypto";

/** From 0 to below 1, the same for the same text: spreads over time what must not happen everywhere at once. */
export function stableShare(text: string): number {
  return Number.parseInt(hash("sha256", text).slice(0, 8), 16) / 2 ** 32;
}
