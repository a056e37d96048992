import { listAuditEventsRoute } from "../../../shared/api/audit.ts";
import { auditOutcomes } from "../../../shared/audit.ts";
import { listPage } from "../parts/list-page.ts";
import { auditTable } from "./audit-table.ts";

/** GET /audit: who did what to which object, allowed or not. */
export const listAudit = listPage({
  path: "/audit",
  permission: "audit.read",
  title: "Audit",
  icon: "audit",
  one: "event",
  filters: {
    outcome: { label: "Outcome", values: auditOutcomes },
    action: { label: "Action", placeholder: "pauseRunner" },
    target_id: { label: "Object", placeholder: "run_…" },
    actor: { label: "Account", placeholder: "acc_…" },
    token: { label: "Token", placeholder: "tok_…" },
    from: { label: "From", placeholder: "2026-01-31T00:00:00Z" },
    to: { label: "Before", placeholder: "2026-02-01T00:00:00Z" },
  },
  read: async (view, query) => await view.ask(listAuditEventsRoute, { query }),
  show: (items, { nowMs }) => auditTable("Events, the newest first", items, nowMs),
  whenNone: "Every change that somebody makes or tries is written down here.",
});
