import { html } from "hono/html";
import { diffAppConfigsRoute } from "../../../shared/api/app-config-diff.ts";
import { type AppConfigVersion, listAppConfigsRoute } from "../../../shared/api/app-configs.ts";
import { type App, apps } from "../../../shared/api/app.ts";
import { recentAudit } from "../audit/audit-table.ts";
import type { Html, Page, View } from "../page.ts";
import { badge } from "../parts/badge.ts";
import { choices, heading } from "../parts/choices.ts";
import { facts } from "../parts/facts.ts";
import { readFilters } from "../parts/filters.ts";
import { listed, pageAsked } from "../parts/listed.ts";
import { empty, pager, table } from "../parts/table.ts";
import { timeAgo } from "../parts/time.ts";
import { changeTable } from "./change-table.ts";
import { configBadge } from "./list-apps.ts";
import { partTables } from "./part-tables.ts";

/** GET /apps/{app_id}: an app, what its active config has and changed, and the versions of its config. */
export const showApp: Page = {
  path: "/apps/{app_id}",
  permission: "apps.read",
  async render(view) {
    const params = { app_id: view.param("app_id") };
    const query = pageAsked(readFilters(view.query, {}));
    const [app, answer] = await Promise.all([
      view.ask(apps.get, { params }),
      view.ask(listAppConfigsRoute, { params, query }),
    ]);
    const configs = listed(answer);
    return {
      title: app.name,
      main: html`${heading(app.name, app.id, configBadge(app.active_config_id))}
        ${choices(view, [
          {
            label: "Create a token",
            to: `/tokens/new?bound=apps/${app.id}`,
            permission: "tokens.write",
          },
        ])}
        ${app.description === "" ? "" : html`<p>${app.description}</p>`} ${appFacts(app, view)}
        ${await partTables(view, app)} ${await lastChange(view, app)}
        <h2>Configs</h2>
        ${
          configs.items.length === 0
            ? empty("No config yet", html`Sync one from its folder: <code>svc app sync DIR</code>`)
            : configTable(configs.items, view.nowMs)
        }
        ${pager(view.address, configs.next_cursor)} ${await recentAudit(view, app.id)}`,
    };
  },
};

function appFacts(app: App, { nowMs }: View): Html {
  const labels = Object.entries(app.default_labels);
  return facts([
    ["Name shown", app.display_name || "–"],
    ["Runner", app.runner_type ?? "–"],
    ["Repository", app.config_repo || "–"],
    ["Folder", app.config_directory || "–"],
    [
      "Labels of every install",
      labels.length === 0
        ? "–"
        : html`${labels.map(([key, value]) => html`<code>${key}=${value}</code> `)}`,
    ],
    ["Created", timeAgo(app.created_at, nowMs)],
    ["Changed", timeAgo(app.updated_at, nowMs)],
  ]);
}

async function lastChange(view: View, { id, active_config_id: active }: App): Promise<Html> {
  if (active === null) return html``;
  const params = { app_id: id, app_config_id: active };
  const { changes } = await view.ask(diffAppConfigsRoute, { params, query: {} });
  return html`<h2>What the active config changed</h2>
    ${changeTable(changes)}`;
}

function configTable(configs: readonly AppConfigVersion[], nowMs: number): Html {
  return table(
    "Configs, the newest first",
    [
      {
        head: "Version",
        cell: ({ app_id: app, id, version }) =>
          html`<a href="/apps/${app}/configs/${id}">v${version}</a>`,
      },
      { head: "Status", cell: ({ status }) => badge(status) },
      { head: "Checksum", cell: ({ checksum }) => html`<code>${checksum.slice(0, 12)}</code>` },
      { head: "Synced", cell: ({ created_at: at }) => timeAgo(at, nowMs) },
      {
        head: "By",
        kind: "minor",
        cell: ({ created_by_id: id }) => html`<span class="id">${id || "–"}</span>`,
      },
      {
        head: "With",
        kind: "minor",
        cell: ({ cli_version: version }) => (version === "" ? "–" : `svc ${version}`),
      },
    ],
    configs,
  );
}
