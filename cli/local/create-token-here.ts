import { connect } from "../../broker/database/connect.ts";
import { requireCurrentSchema } from "../../broker/database/schema-state.ts";
import { bootstrapOrg } from "../../broker/orgs/bootstrap-org.ts";
import type { OrgId } from "../../broker/orgs/org-id.ts";
import { findOrg } from "../../broker/orgs/queries.ts";
import { createToken, type NewToken } from "../../broker/tokens/create-token.ts";
import { toTokenWithSecret } from "../../broker/tokens/token-rows.ts";
import type { Token } from "../../shared/api/tokens.ts";
import { problem } from "../../shared/problem.ts";

export type TokenWish = Omit<NewToken, "createdById" | "reach">;
export type TokenTarget = { readonly orgId: string } | { readonly newOrg: string };
type Created = { readonly body: Token & { readonly secret: string }; readonly text: string };

/** Makes a token in the database itself, in an org that is there or in a new one; refuses as the API does. */
export async function createTokenHere(
  databaseUrl: string,
  wish: TokenWish,
  target: TokenTarget,
): Promise<Created> {
  const db = connect(databaseUrl, { max: 1, applicationName: "svc token" });
  try {
    await requireCurrentSchema(db);
    if ("newOrg" in target) return shown((await bootstrapOrg(db, target.newOrg)).token);
    const org = await findOrg(db, target.orgId as OrgId); // looked up right here
    if (org === undefined) throw problem.notFound("org");
    const isOwn = wish.kind === "pat" && wish.bound === undefined;
    const reach = isOwn ? "account" : "org"; // whoever has the database owns everything
    return shown(await createToken(db, org.id, { ...wish, reach, createdById: "" }));
  } finally {
    await db.end({ timeout: 5 });
  }
}

function shown(token: Parameters<typeof toTokenWithSecret>[0]): Created {
  const body = toTokenWithSecret(token);
  return { body, text: JSON.stringify(body) };
}
