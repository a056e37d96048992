import type { Broker } from "../../broker.ts";
import type { AppContext } from "../../http/app-types.ts";
import { auditSession, type SessionAct } from "../../sessions/audit-session.ts";
import type { NewSession } from "../../sessions/sign-in.ts";
import { keepSession } from "../cookies.ts";
import { endSession, type Visitor } from "./find-reader.ts";

/** Lets whoever has signed in go on; a session that the audit log could not tell of is ended again. */
export async function enterSession(
  c: AppContext,
  broker: Broker,
  { visitor, next, by }: { visitor: Visitor; next: string; by: SessionAct["by"] & string },
  { row, secret }: NewSession,
): Promise<Response> {
  const requestId = c.get("requestId");
  const act = { requestId, action: "signIn", outcome: "allowed", status: 303, by } as const;
  const who = { orgId: row.shown_org_id, tokenId: row.token_id, accountId: row.account_id };
  await auditSession(broker, visitor, { ...act, ...who }).catch(async (error: unknown) => {
    await endSession(broker, row.id);
    throw error;
  });
  keepSession(c, visitor, secret, row.expires_at);
  return c.redirect(next, 303);
}
