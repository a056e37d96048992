import { hash } from "node:crypto";

/** What is stored of a token: its SHA-256. 178 random bits need no slower hash. */
export function tokenDigest(secret: string): Buffer {
  return hash("sha256", secret, "buffer");
}
