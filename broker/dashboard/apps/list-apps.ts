import { html } from "hono/html";
import { type App, apps } from "../../../shared/api/app.ts";
import type { Html } from "../page.ts";
import { badge } from "../parts/badge.ts";
import { listPage } from "../parts/list-page.ts";
import { listed, pageAsked } from "../parts/listed.ts";
import { table } from "../parts/table.ts";
import { timeAgo } from "../parts/time.ts";

/** GET /apps: what the org delivers. */
export const listApps = listPage({
  path: "/apps",
  permission: "apps.read",
  title: "Apps",
  icon: "apps",
  one: "app",
  filters: {
    q: { label: "Name has" },
    name: { label: "Name", placeholder: "exactly" },
  },
  read: async (view, query) => listed(await view.ask(apps.list, { query: pageAsked(query) })),
  show: (items, { nowMs }) => appTable(items, nowMs),
  whenNone: html`Begin one in a folder: <code>svc app init</code>, then <code>svc app sync</code>`,
});

function appTable(items: readonly App[], nowMs: number): Html {
  return table(
    "Apps, the newest first",
    [
      { head: "App", cell: ({ id, name }) => html`<a href="/apps/${id}">${name}</a>` },
      { head: "Config", cell: ({ active_config_id: id }) => configBadge(id) },
      { head: "Name shown", cell: ({ display_name: name }) => name || "–" },
      { head: "Runner", kind: "minor", cell: ({ runner_type: type }) => type ?? "–" },
      { head: "Configs", kind: "figure", cell: ({ config_count: count }) => count },
      { head: "Changed", cell: ({ updated_at: at }) => timeAgo(at, nowMs) },
    ],
    items,
  );
}

/** Whether an app has a config that is in force. */
export const configBadge = (activeId: string | null): Html =>
  activeId === null ? badge("no config", "off") : badge("active");
