import type { InstallAuditLog } from "../../shared/api/install-records.ts";
import type { Db } from "../database/connect.ts";
import type { ListRequest } from "../database/page-request.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { times } from "./list-audit-events.ts";
import type { AuditEventRow } from "./row.ts";

type InstallAudit = ListRequest & {
  readonly installId: string;
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** Older events are not shown. */
  readonly days: number;
};

const mostWorkflows = 1000;

/** What the audit log has of an install, what belongs to it, and its latest workflows, the newest first. */
export async function listInstallAudit(
  db: Db,
  org: OrgId,
  { installId, from, to, days, after, limit, offset }: InstallAudit,
): Promise<(AuditEventRow & { readonly sort_key: string })[]> {
  const between = times(db, org, { filter: { from, to }, after, days });
  return db<(AuditEventRow & { sort_key: string })[]>`
    with ids as materialized (
      select array(select w.id::text from workflows w where w.org_id = ${org} and w.owner_id = ${installId}
                    order by w.id desc limit ${mostWorkflows}) || ${installId}::text as ids)
    select e.*, e.at::text as sort_key
      from (select * from audit_events where org_id = ${org} and target_id = any((select ids from ids)::text[]) and target_id <> '' and ${between}
            union
            select * from audit_events where org_id = ${org} and parent_id = any((select ids from ids)::text[]) and parent_id <> '' and ${between}) e
     order by e.at desc, e.id desc limit ${limit} offset ${offset}`;
}

/** An event of the log in one line. */
export function toInstallAuditLog(installId: string, row: AuditEventRow): InstallAuditLog {
  const { action, outcome, code, count, reason } = row;
  const target = [row.target_type, row.target_id].filter((text) => text !== "").join(" ");
  const who = row.actor_name === "" ? row.actor_id : `${row.actor_name} (${row.actor_id})`;
  const end = code === "" ? outcome : `${outcome}, ${code}`;
  const times = count > 1 ? `, ${count} times` : "";
  const why = reason === "" ? "" : `: ${reason}`;
  return {
    id: row.id,
    install_id: installId,
    type: action,
    log_line: `${who} ${action} ${target}: ${end}${times}${why}`,
    time_stamp: row.at.toISOString(),
  };
}
