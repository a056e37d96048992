import type { Db } from "../database/connect.ts";
import type { AuditEnd, AuditEntry, AuditEvent } from "./audit-entry.ts";

/** An end that is written, or, where it is left out, only takes away what was asked. */
type EndedAct = AuditEvent & { readonly is_left_out?: boolean };

const notEnded: AuditEnd = { outcome: "unknown", status: null, code: "", age_ms: 0, count: 1 };

/** Writes acts that were asked for and acts that ended, in one statement. */
export async function writeAudit(
  db: Db,
  { asked, ended }: { readonly asked: readonly AuditEntry[]; readonly ended: readonly EndedAct[] },
): Promise<void> {
  const open = asked.map((entry): AuditEvent => ({ ...entry, ...notEnded }));
  await db`
    select write_audit(${JSON.stringify(open)}::text::jsonb, ${JSON.stringify(ended)}::text::jsonb)`;
}

/** Writes `unknown` for acts that were asked for longer ago than that and have no end; answers how many. */
export async function endLostActs(db: Db, after: string, most: number): Promise<number> {
  const [row] = await db<{ n: number }[]>`
    select end_lost_acts(${after}::text::interval, ${most}) as n`;
  return row?.n ?? 0;
}
