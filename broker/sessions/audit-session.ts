import type { AuditOutcome } from "../../shared/audit.ts";
import { Problem } from "../../shared/problem.ts";
import { auditText } from "../audit/audit-entry.ts";
import type { Broker } from "../broker.ts";
import { newId } from "../database/new-id.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Browser } from "./row.ts";

export type SessionAct = {
  readonly action: "signIn" | "signOut" | "useSession";
  readonly orgId: OrgId;
  readonly tokenId: string | null;
  readonly accountId: string | null;
  readonly outcome: AuditOutcome;
  readonly status: number;
  /** What the person signed in with. */
  readonly by?: "token" | "link" | "provider";
};

/** Writes into the audit log what was done with a session; 503 when that cannot be written. */
export async function auditSession(
  { audit }: Pick<Broker, "audit">,
  browser: Browser,
  { requestId, ...act }: SessionAct & { readonly requestId: string },
): Promise<void> {
  const { action, orgId, tokenId, accountId, outcome, status, by } = act;
  const event = {
    id: newId("aud"),
    org_id: orgId,
    action,
    permission: null,
    actor_id: accountId ?? tokenId ?? "",
    account_id: accountId,
    token_id: tokenId,
    target_type: "token",
    target_id: tokenId ?? "",
    parent_id: "",
    ip: browser.address,
    user_agent: auditText(browser.userAgent, 200),
    request_id: requestId,
    reason: "",
    changes: by === undefined ? null : { with: by },
    outcome,
    status,
    code: "",
    age_ms: 0,
    count: 1,
  };
  await audit.write(event).catch(() => {
    throw new Problem({
      status: 503,
      code: "audit_unavailable",
      detail: "Nothing was done, because the audit log cannot be written now. Try again later.",
      headers: { "retry-after": "1" },
    });
  });
}
