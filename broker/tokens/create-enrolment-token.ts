import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { insertBootToken } from "./queries.ts";
import type { TokenWithSecret } from "./row.ts";
import { mint } from "./token-secret.ts";

/** Makes a one-shot token that enrols an agent of the runner within the hour; 404 for no live runner. */
export async function createEnrolmentToken(
  db: Db,
  org: OrgId,
  boot: { readonly runnerId: string; readonly createdById: string },
): Promise<TokenWithSecret> {
  const minted = mint("boot");
  const row = await insertBootToken(db, org, minted, boot);
  if (row === undefined) throw problem.notFound("runner");
  return { row, secret: minted.secret };
}
