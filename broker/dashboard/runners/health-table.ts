import { html } from "hono/html";
import type { HealthCheck } from "../../../shared/api/health-check.ts";
import type { Html } from "../page.ts";
import { badge } from "../parts/badge.ts";
import { table } from "../parts/table.ts";
import { timeAgo } from "../parts/time.ts";

/** What processes reported of themselves. */
export function healthTable(checks: readonly HealthCheck[], nowMs: number): Html {
  if (checks.length === 0) return html`<p class="dim">None was reported.</p>`;
  return table(
    "Health checks, the newest first",
    [
      { head: "When", cell: ({ created_at: at }) => timeAgo(at, nowMs) },
      { head: "Status", cell: ({ status }) => badge(status) },
      { head: "Code", kind: "figure", cell: ({ status_code: code }) => code },
      {
        head: "Process",
        kind: "minor",
        cell: ({ process, process_id: id }) =>
          html`<span class="id">${process || id || "–"}</span>`,
      },
    ],
    checks,
  );
}
