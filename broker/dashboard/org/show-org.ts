import { html } from "hono/html";
import { getCurrentOrgRoute, type Org } from "../../../shared/api/orgs.ts";
import { retainedKinds } from "../../../shared/retention.ts";
import { recentAudit } from "../audit/audit-table.ts";
import type { Html, Page } from "../page.ts";
import { choices, heading } from "../parts/choices.ts";
import { counted } from "../parts/counted.ts";
import { facts } from "../parts/facts.ts";
import { table } from "../parts/table.ts";
import { timeAgo } from "../parts/time.ts";
import { keptDays, kindWords } from "./kept-days.ts";

/** GET /org: the org that is shown, and for how long it keeps what has ended. */
export const showOrg: Page = {
  path: "/org",
  permission: "orgs.read",
  nav: { label: "Org", icon: "org" },
  async render(view) {
    const org = await view.ask(getCurrentOrgRoute, {});
    return {
      title: "Organisation",
      main: html`${heading(org.name, org.id, html``)}
        ${choices(view, [
          { label: "Change", to: "/org/change", permission: "orgs.write" },
          { label: "Invitations", to: "/org/invites", permission: "accounts.read" },
          { label: "Roles", to: "/org/roles", permission: "roles.read" },
        ])}
        ${facts([
          ["Created", timeAgo(org.created_at, view.nowMs)],
          ["Created by", html`<span class="id">${org.created_by_id || "–"}</span>`],
          ["Changed", timeAgo(org.updated_at, view.nowMs)],
          ["Who stands behind a workflow may approve it", org.prevent_self_approval ? "no" : "yes"],
          [
            "Plans that change nothing",
            org.auto_skip_noops ? "are passed over" : "ask, unless a config says else",
          ],
          ["Version", String(org.version)],
        ])}
        <h2>How long it keeps what has ended</h2>
        ${retention(org)} ${await recentAudit(view, org.id)}`,
    };
  },
};

function retention(org: Org): Html {
  return table(
    "After that it is deleted, within some hours",
    [
      { head: "What", cell: (kind) => kindWords[kind] },
      {
        head: "Kept for",
        kind: "figure",
        cell: (kind) => counted(keptDays(org, kind).days, "day", "days"),
      },
      { head: "Source", cell: (kind) => keptDays(org, kind).by },
      {
        head: "The broker's most",
        kind: "figure",
        cell: (kind) => counted(org.retention_limit_days[kind], "day", "days"),
      },
    ],
    retainedKinds,
  );
}
