import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import { requireOperator } from "../runners/require-operator.ts";
import type { Actor } from "./actor.ts";
import type { Authenticator } from "./authenticator.ts";
import { permissionsHeld } from "./permissions-held.ts";
import { findToken, revokeTokenRow } from "./queries.ts";
import type { TokenRow } from "./row.ts";
import { requireChange } from "./token-rules.ts";

/** Revokes a token of the caller's org, here at once and on every other broker within a second; again changes nothing. */
export async function revokeToken(
  { db, authenticator }: { readonly db: Db; readonly authenticator: Authenticator },
  actor: Actor,
  id: string,
): Promise<TokenRow> {
  const token = await findToken(db, actor.orgId, id);
  if (token === undefined) throw problem.notFound("token");
  requireChange(actor, "revoke", token, await permissionsHeld(db, token));
  await requireOperator(db, actor, { runner_id: token.runner_id ?? undefined });
  const row = await revokeTokenRow(db, actor.orgId, id);
  if (row === undefined) throw problem.notFound("token");
  authenticator.forget([id]);
  return row;
}
