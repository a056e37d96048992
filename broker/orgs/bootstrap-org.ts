import { createAccount } from "../accounts/create-account.ts";
import type { Db } from "../database/connect.ts";
import { createToken } from "../tokens/create-token.ts";
import type { TokenWithSecret } from "../tokens/row.ts";
import { createOrg } from "./create-org.ts";
import type { OrgId } from "./org-id.ts";

/**
 * Makes an org with an admin account and a token that may do everything, other orgs included. For the
 * database's own machine: access to the database is the only permission needed.
 */
export async function bootstrapOrg(
  db: Db,
  name: string,
  createdById = "",
): Promise<{ orgId: OrgId; adminToken: string; token: TokenWithSecret }> {
  const org = await createOrg(db, { name, createdById, adminAccountId: null });
  const token = await bootstrapAdmin(db, org.id);
  return { orgId: org.id, adminToken: token.secret, token };
}

/** Makes another such account with its token in an org that is there. */
export async function bootstrapAdmin(db: Db, org: OrgId): Promise<TokenWithSecret> {
  const account = await createAccount(db, org, {
    accountType: "service",
    name: "admin",
    email: "",
    subject: "",
    roles: ["org_admin"],
    createdById: "",
  });
  return await createToken(db, org, {
    name: "first admin",
    kind: "pat",
    reach: "account",
    tokenType: "admin",
    accountId: account.id,
    createdById: "",
  });
}
