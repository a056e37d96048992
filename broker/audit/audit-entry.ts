import type { AuditOutcome } from "../../shared/audit.ts";
import type { OrgId } from "../orgs/org-id.ts";

/** Who asked for what: what is known before it is done. Every text is short and can be stored as it is. */
export type AuditEntry = {
  readonly id: string;
  readonly org_id: OrgId;
  /** The operation of the route. */
  readonly action: string;
  readonly permission: string | null;
  readonly actor_id: string;
  readonly account_id: string | null;
  readonly token_id: string | null;
  readonly target_type: string;
  readonly target_id: string;
  readonly parent_id: string;
  readonly ip: string;
  readonly user_agent: string;
  readonly request_id: string;
  readonly reason: string;
  readonly changes: Readonly<Record<string, unknown>> | null;
};

/** The result. */
export type AuditEnd = {
  readonly outcome: AuditOutcome;
  /** Null where nobody answered. */
  readonly status: number | null;
  readonly code: string;
  /** The time since the request came, or the first of those that are counted. */
  readonly age_ms: number;
  readonly count: number;
};

export type AuditEvent = AuditEntry & AuditEnd;

/** A text of somebody else's as the log keeps it: one line, at most so long. */
export function auditText(text: string, most: number): string {
  return text
    .slice(0, most)
    .toWellFormed()
    .replaceAll(/\p{Cc}+/gu, " ");
}
