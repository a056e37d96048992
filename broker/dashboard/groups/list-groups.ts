import { html } from "hono/html";
import { listRunnerGroupsRoute } from "../../../shared/api/runner-groups.ts";
import type { RunnerGroup } from "../../../shared/api/runner.ts";
import { runnerGroupTypes } from "../../../shared/runner-platforms.ts";
import type { Html } from "../page.ts";
import { badge } from "../parts/badge.ts";
import { listPage } from "../parts/list-page.ts";
import { meter } from "../parts/meter.ts";
import { table } from "../parts/table.ts";
import { timeAgo } from "../parts/time.ts";
import { groupTitle } from "./group-title.ts";

/** GET /groups: the org's runner groups, and how full each is. */
export const listGroups = listPage({
  path: "/groups",
  permission: "runners.read",
  title: "Groups",
  icon: "groups",
  one: "group",
  filters: {
    type: { label: "Type", values: runnerGroupTypes },
    owner_id: { label: "Owner" },
  },
  read: async (view, query) => await view.ask(listRunnerGroupsRoute, { query }),
  show: (items, { nowMs }) =>
    html`${groupTable(items, nowMs)}
      <p>
        <a href="/rollouts">Rollouts</a>: restart or shut down many processes, a few at a time.
      </p>`,
  whenNone: "A runner that is created without a group gets one of its own.",
  live: ["minute"],
});

function groupTable(groups: readonly RunnerGroup[], nowMs: number): Html {
  return table(
    "Runner groups, the newest first",
    [
      {
        head: "Group",
        cell: (group) => html`<a href="/groups/${group.id}">${groupTitle(group)}</a>`,
      },
      { head: "Paused", cell: ({ pause }) => (pause === null ? "–" : badge("paused")) },
      { head: "Runners", kind: "figure", cell: ({ capacity }) => capacity?.runners ?? 0 },
      {
        head: "Slots in use",
        kind: "figure",
        cell: ({ capacity }) => meter(capacity?.in_use ?? 0, capacity?.slots ?? 0),
      },
      { head: "Waiting", kind: "figure", cell: ({ capacity }) => capacity?.waiting ?? 0 },
      { head: "Type", kind: "minor", cell: ({ type }) => type },
      { head: "Platform", kind: "minor", cell: ({ platform }) => platform },
      {
        head: "Owner",
        kind: "minor",
        cell: ({ owner_id: id, owner_type: type }) => html`${type} <span class="id">${id}</span>`,
      },
      { head: "Created", cell: ({ created_at: at }) => timeAgo(at, nowMs) },
    ],
    groups,
  );
}
