import { createAccount } from "../accounts/create-account.ts";
import type { Db } from "../database/connect.ts";
import { createToken } from "../tokens/create-token.ts";
import { createOrg } from "./create-org.ts";
import type { OrgId } from "./org-id.ts";

/**
 * Makes a first org with an admin account and a token that may do everything, other orgs included. For the
 * database's own machine: whoever can reach the database needs no other permission.
 */
export async function bootstrapOrg(
  db: Db,
  name: string,
): Promise<{ orgId: OrgId; adminToken: string }> {
  const org = await createOrg(db, { name, createdById: "", adminAccountId: null });
  const account = await createAccount(db, org.id, {
    accountType: "service",
    name: "admin",
    email: "",
    subject: "",
    roles: ["org_admin"],
    createdById: "",
  });
  const { secret } = await createToken(db, org.id, {
    name: "first admin",
    kind: "pat",
    tokenType: "admin",
    accountId: account.id,
    createdById: "",
  });
  return { orgId: org.id, adminToken: secret };
}
