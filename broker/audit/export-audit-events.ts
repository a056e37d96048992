import type { Db } from "../database/connect.ts";
import type { PageKey } from "../database/page-request.ts";
import type { WithPermit } from "../limits/permits.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { type AuditFilter, listAuditEvents } from "./list-audit-events.ts";
import type { AuditEventRow } from "./row.ts";

type Export = {
  readonly filter: AuditFilter;
  readonly after: PageKey | undefined;
  readonly days: number;
  /** Held for each page, and not while the client reads. */
  readonly withPermit: WithPermit;
  readonly toLine: (row: AuditEventRow, key: PageKey) => string;
};

const pageSize = 500;

/** The lines of an export, page by page: no more is read than the client takes. */
export async function* exportAuditEvents(
  db: Db,
  org: OrgId,
  { filter, after, days, withPermit, toLine }: Export,
): AsyncGenerator<Buffer> {
  let at = after;
  while (true) {
    const asked = { filter, after: at, days, limit: pageSize, isExport: true };
    const { rows, stoppedAt } = await withPermit(() => listAuditEvents(db, org, asked));
    const page = rows.slice(0, pageSize);
    const lines = page.map((row) => toLine(row, { sortKey: row.sort_key, id: row.id }));
    if (lines.length > 0) yield Buffer.from(lines.map((line) => `${line}\n`).join(""));
    const last = page.at(-1);
    if (rows.length > pageSize && last !== undefined) at = { sortKey: last.sort_key, id: last.id };
    else if (stoppedAt !== undefined) at = stoppedAt;
    else return;
  }
}
