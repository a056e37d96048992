import { html } from "hono/html";
import { rollouts } from "../../../shared/api/rollouts.ts";
import { rolloutStatuses } from "../../../shared/rollout.ts";
import type { Page } from "../page.ts";
import { choices, crumbs } from "../parts/choices.ts";
import { filterForm, readFilters } from "../parts/filters.ts";
import { empty, pager } from "../parts/table.ts";
import { rolloutTable } from "./rollout-table.ts";

const filters = {
  status: { label: "Status", values: rolloutStatuses },
  runner_group_id: { label: "Group" },
} as const;

/** GET /rollouts: orders to many processes, and how far each is. */
export const listRollouts: Page = {
  path: "/rollouts",
  permission: "runners.read",
  async render(view) {
    const query = readFilters(view.query, filters);
    const { items, next_cursor: next } = await view.ask(rollouts.list, { query });
    return {
      title: "Rollouts",
      live: view.query.has("cursor") ? [] : ["minute"],
      main: html`${crumbs(["Groups", "/groups"])}
        <h1>Rollouts</h1>
        ${choices(view, [
          { label: "Order all groups", to: "/org/rollout", permission: "runners.operate" },
        ])}
        ${filterForm("/rollouts", view.query, filters)}
        ${
          items.length === 0
            ? empty(
                "No rollouts",
                "A rollout restarts or shuts down many processes, a few at a time.",
              )
            : rolloutTable("Rollouts, the newest first", items, view.nowMs)
        }
        ${pager(view.address, next)}`,
    };
  },
};
