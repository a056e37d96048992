import { html } from "hono/html";
import { diffAppConfigsRoute } from "../../../shared/api/app-config-diff.ts";
import {
  getAppConfigGraphRoute,
  getAppConfigVersionRoute,
} from "../../../shared/api/app-configs.ts";
import { apps } from "../../../shared/api/app.ts";
import type { Page } from "../page.ts";
import { badge } from "../parts/badge.ts";
import { crumbs, heading } from "../parts/choices.ts";
import { jsonBlock } from "../parts/code-block.ts";
import { facts } from "../parts/facts.ts";
import { timeAgo } from "../parts/time.ts";
import { changeTable } from "./change-table.ts";

/** GET /apps/{app_id}/configs/{app_config_id}: a version of an app's config, and what it changed. */
export const showConfig: Page = {
  path: "/apps/{app_id}/configs/{app_config_id}",
  permission: "apps.read",
  async render(view) {
    const params = { app_id: view.param("app_id"), app_config_id: view.param("app_config_id") };
    const [app, config, { changes }, graph] = await Promise.all([
      view.ask(apps.get, { params }),
      view.ask(getAppConfigVersionRoute, { params, query: { recurse: "true" } }),
      view.ask(diffAppConfigsRoute, { params, query: {} }),
      view.ask(getAppConfigGraphRoute, { params }),
    ]);
    const name = `${app.name} v${config.version}`;
    return {
      title: name,
      main: html`${crumbs(["Apps", "/apps"], [app.name, `/apps/${app.id}`])}
        ${heading(name, config.id, badge(config.status))}
        ${config.status_description === "" ? "" : html`<p>${config.status_description}</p>`}
        ${facts([
          ["Checksum", html`<code>${config.checksum}</code>`],
          ["Synced", timeAgo(config.created_at, view.nowMs)],
          ["By", html`<span class="id">${config.created_by_id || "–"}</span>`],
          ["Order of components", graph.order.join(", ") || "none"],
        ])}
        <h2>What it changed</h2>
        ${changeTable(changes)}
        <h2>The config</h2>
        ${jsonBlock(
          "The config",
          JSON.stringify(config.document ?? {}),
          "svc app config get shows all of it.",
        )}`,
    };
  },
};
