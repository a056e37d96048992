import { hash } from "node:crypto";
import { mintToken, tokenHint } from "../../shared/token.ts";
import { newId } from "../database/new-id.ts";
import type { Minted, TokenRow } from "./row.ts";

/** A new secret with all that is stored of it. */
export function mint(kind: TokenRow["kind"]): Minted {
  const secret = mintToken(kind);
  return { id: newId("tok"), secret, digest: tokenDigest(secret), hint: tokenHint(secret) };
}

/** What is stored of a token: its SHA-256. 178 random bits need no slower hash. */
export function tokenDigest(secret: string): Buffer {
  return hash("sha256", secret, "buffer");
}
