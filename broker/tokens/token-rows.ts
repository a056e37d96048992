import { type Token, tokens } from "../../shared/api/tokens.ts";
import { rowsOf } from "../resources/rows-of.ts";
import type { TokenRow, TokenWithSecret } from "./row.ts";

/** Tokens as the API shows them; never their digests. */
export const tokenRows = rowsOf(tokens, {
  from: ["tokens t", "t"],
  newestBy: "created_at",
  besides: { role: "t.role_type" },
});

/** A token, of its whole row. */
export const toToken = (row: TokenRow): Token => tokenRows.toItem({ ...row, role: row.role_type });

/** The token with its secret, which is shown only once. */
export const toTokenWithSecret = ({
  row,
  secret,
}: TokenWithSecret): Token & { secret: string } => ({
  ...toToken(row),
  secret,
});
