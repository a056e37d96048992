import { html } from "hono/html";
import { lifecyclePhases, type Install, installs } from "../../../shared/api/install.ts";
import type { Html } from "../page.ts";
import { badge } from "../parts/badge.ts";
import { listPage } from "../parts/list-page.ts";
import { listed, pageAsked } from "../parts/listed.ts";
import { table } from "../parts/table.ts";
import { timeAgo } from "../parts/time.ts";

/** GET /installs: the apps in customers' accounts. */
export const listInstalls = listPage({
  path: "/installs",
  permission: "installs.read",
  title: "Installs",
  icon: "installs",
  one: "install",
  live: ["jobs"],
  filters: {
    q: { label: "Name has" },
    phase: { label: "Phase", values: lifecyclePhases },
    labels: { label: "Labels", placeholder: "tier:gold,team" },
  },
  read: async (view, query) => listed(await view.ask(installs.list, { query: pageAsked(query) })),
  show: (items, { nowMs }) => installTable(items, nowMs),
  whenNone: html`Create one: <code>svc install create NAME --app APP</code>`,
});

function installTable(installs: readonly Install[], nowMs: number): Html {
  return table(
    "Installs, the newest first",
    [
      { head: "Install", cell: ({ id, name }) => html`<a href="/installs/${id}">${name}</a>` },
      {
        head: "Phase",
        cell: ({ lifecycle_phase: { phase } }) => badge(phase),
      },
      {
        head: "App",
        cell: ({ app_id: id, app_name: name }) => html`<a href="/apps/${id}">${name}</a>`,
      },
      { head: "Runner", cell: ({ runner_status: status }) => badge(status) },
      {
        head: "Config",
        kind: "minor",
        cell: ({ app_config_ref: { applied_config_id: applied, expected_config_id: expected } }) =>
          applied === null ? "none yet" : applied === expected ? "the active one" : "an older one",
      },
      { head: "Since", cell: ({ lifecycle_phase: { since } }) => timeAgo(since, nowMs) },
    ],
    installs,
  );
}
