import { html } from "hono/html";
import { type AuditEventBody, listAuditEventsRoute } from "../../../shared/api/audit.ts";
import type { Html, View } from "../page.ts";
import { badge } from "../parts/badge.ts";
import { table } from "../parts/table.ts";
import { timeAgo } from "../parts/time.ts";

const shown = 10;

/** Events of the audit log, one a row. */
export function auditTable(
  caption: string,
  events: readonly AuditEventBody[],
  nowMs: number,
): Html {
  return table(
    caption,
    [
      {
        head: "Action",
        cell: ({ action, count }) => html`${action}${count > 1 ? ` × ${count}` : ""}`,
      },
      { head: "Outcome", cell: outcomeOf },
      { head: "When", cell: ({ at }) => timeAgo(at, nowMs) },
      {
        head: "Who",
        cell: ({ actor_name: name, actor_id: id, token_hint: hint }) =>
          html`<span title="${id}">${name || id}</span> <code>${hint}</code>`,
      },
      {
        head: "Object",
        cell: ({ target_type: type, target_id: id }) =>
          id === null ? type : html`<a class="id" href="/audit?target_id=${id}">${id}</a>`,
      },
      { head: "Reason", kind: "minor", cell: ({ reason }) => reason || "–" },
      { head: "From", kind: "minor", cell: ({ ip }) => html`<span class="id">${ip || "–"}</span>` },
    ],
    events,
  );
}

/** What was done last to an object, for whoever may read the audit log. */
export async function recentAudit(view: View, targetId: string): Promise<Html> {
  if (!view.can("audit.read")) return html``;
  const query = { target_id: targetId, limit: shown };
  const { items } = await view.ask(listAuditEventsRoute, { query });
  return html`<h2>Who did what</h2>
    ${
      items.length === 0
        ? html`<p class="dim">Nothing is written down.</p>`
        : auditTable("The last ten events of the audit log", items, view.nowMs)
    }`;
}

function outcomeOf({ outcome, code }: AuditEventBody): Html {
  return html`${badge(outcome)}${code === "" ? "" : html` <span class="dim">${code}</span>`}`;
}
