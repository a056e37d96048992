import { html } from "hono/html";
import { rollouts } from "../../../shared/api/rollouts.ts";
import { getRunnerStripsRoute } from "../../../shared/api/runner-availability.ts";
import { getRunnerGroupRoute } from "../../../shared/api/runner-groups.ts";
import type { RunnerGroup } from "../../../shared/api/runner.ts";
import { recentAudit } from "../audit/audit-table.ts";
import type { Html, Page } from "../page.ts";
import { badge } from "../parts/badge.ts";
import { type Choice, choices, heading } from "../parts/choices.ts";
import { facts } from "../parts/facts.ts";
import { meter } from "../parts/meter.ts";
import { pauseWords } from "../parts/pausing.ts";
import { permissionsOf } from "../parts/permissions-of.ts";
import { table } from "../parts/table.ts";
import { timeAgo } from "../parts/time.ts";
import { rolloutTable } from "../rollouts/rollout-table.ts";
import { groupName } from "../runners/queue-table.ts";
import { runnerTable, sum } from "../runners/runner-table.ts";
import { settingsFacts } from "../runners/settings-facts.ts";
import { groupTitle } from "./group-title.ts";

/** GET /groups/{runner_group_id}: what a group can do at once, what it does, and by which settings. */
export const showGroup: Page = {
  path: "/groups/{runner_group_id}",
  permission: "runners.read",
  async render(view) {
    const params = { runner_group_id: view.param("runner_group_id") };
    const [group, { items: latest }] = await Promise.all([
      view.ask(getRunnerGroupRoute, { params }),
      view.ask(rollouts.list, { query: { ...params, limit: 3 } }),
    ]);
    const { pause, settings, runners = [] } = group;
    const ids = runners.map(({ id }) => id).join(",");
    const strips =
      ids === "" ? undefined : await view.ask(getRunnerStripsRoute, { query: { ids } });
    const { nowMs } = view;
    return {
      title: groupTitle(group),
      live: ["jobs", "minute"],
      main: html`${heading(groupTitle(group), group.id, pause === null ? html`` : badge("paused"))}
        ${pause === null ? "" : html`<p class="notes">${pauseWords(pause, nowMs)}</p>`}
        ${choices(view, choicesOf(group))}
        ${facts([
          ["Type", group.type],
          ["Platform", group.platform],
          ["Owner", html`${group.owner_type} <span class="id">${group.owner_id}</span>`],
          ["Runners", runners.length === 100 ? "100 or more" : String(runners.length)],
          ["Created", timeAgo(group.created_at, nowMs)],
        ])}
        <h2>Capacity</h2>
        ${capacity(runners)}
        <h2>Runners</h2>
        ${
          runners.length === 0
            ? html`<p class="dim">None yet.</p>`
            : runnerTable("The newest first", runners, { strips, nowMs })
        }
        ${
          latest.length === 0
            ? ""
            : html`<h2>Rollouts</h2>
                ${rolloutTable("The newest three", latest, nowMs)}`
        }
        <h2>Settings</h2>
        ${settings === undefined ? "" : settingsFacts(settings)}
        ${await recentAudit(view, group.id)}`,
    };
  },
};

function choicesOf(group: RunnerGroup): Choice[] {
  const { id, pause } = group;
  const at = `/groups/${id}`;
  return [
    {
      label: pause === null ? "Pause" : "Change the pause",
      to: `${at}/pause`,
      permission: permissionsOf(group, "runners.operate"),
    },
    {
      label: "Resume",
      to: `${at}/resume`,
      permission: permissionsOf(group, "runners.operate"),
      isOpen: pause !== null,
    },
    {
      label: "Restart or shut down",
      to: `${at}/rollout`,
      permission: permissionsOf(group, "runners.operate"),
    },
    {
      label: "Change settings",
      to: `${at}/settings`,
      permission: permissionsOf(group, "runners.write"),
    },
  ];
}

/** What all runners shown together can do of each job group. */
function capacity(runners: NonNullable<RunnerGroup["runners"]>): Html {
  const queues = runners.flatMap((runner) => runner.queues);
  const groups = [...Map.groupBy(queues, ({ name }) => name)]
    .map(([name, all]) => ({
      name,
      slots: sum(all, "slots"),
      running: sum(all, "in_flight"),
      waiting: sum(all, "depth"),
      held: all.filter(({ held }) => held !== null).length,
    }))
    .filter(({ slots, running, waiting }) => slots + running + waiting > 0);
  if (groups.length === 0) return html`<p class="dim">No job group has a slot or a job now.</p>`;
  return table(
    "Slots of all its runners, by job group",
    [
      { head: "Job group", cell: ({ name }) => groupName(name) },
      { head: "In use", kind: "figure", cell: ({ running, slots }) => meter(running, slots) },
      { head: "Waiting", kind: "figure", cell: ({ waiting }) => waiting },
      { head: "Runners held", kind: "figure", cell: ({ held }) => held },
    ],
    groups,
  );
}
