import { mintToken, tokenHint } from "../../shared/token.ts";
import { newId } from "../database/new-id.ts";
import type { Minted, TokenRow } from "./row.ts";
import { tokenDigest } from "./token-digest.ts";

/** A new secret with all that is stored of it. */
export function mint(kind: TokenRow["kind"]): Minted {
  const secret = mintToken(kind);
  return { id: newId("tok"), secret, digest: tokenDigest(secret), hint: tokenHint(secret) };
}
