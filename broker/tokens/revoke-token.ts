import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Authenticator } from "./authenticator.ts";
import { revokeTokenRow } from "./queries.ts";
import type { TokenRow } from "./row.ts";

/** Revokes a token, here at once and on every other broker within a second; twice is as good as once. */
export async function revokeToken(
  { db, authenticator }: { readonly db: Db; readonly authenticator: Authenticator },
  org: OrgId,
  id: string,
): Promise<TokenRow> {
  const row = await revokeTokenRow(db, org, id);
  if (row === undefined) throw problem.notFound("token");
  authenticator.forget([id]);
  return row;
}
