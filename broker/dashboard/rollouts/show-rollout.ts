import { html } from "hono/html";
import {
  rollouts,
  listRolloutProcessesRoute,
  type Rollout,
  type RolloutTarget,
} from "../../../shared/api/rollouts.ts";
import { getRunnerGroupRoute } from "../../../shared/api/runner-groups.ts";
import { formatDuration } from "../../../shared/duration.ts";
import { rolloutProgress } from "../../../shared/rollout-progress.ts";
import { rolloutTargetStatuses } from "../../../shared/rollout.ts";
import { recentAudit } from "../audit/audit-table.ts";
import type { Html, Page, View } from "../page.ts";
import { badge } from "../parts/badge.ts";
import { choices, crumbs, heading } from "../parts/choices.ts";
import { facts } from "../parts/facts.ts";
import { filterForm, readFilters } from "../parts/filters.ts";
import { permissionsOf } from "../parts/permissions-of.ts";
import { pager, table } from "../parts/table.ts";
import { timeAgo } from "../parts/time.ts";
import { isOpenRollout, scopeOf } from "./rollout-table.ts";

const filters = { status: { label: "Status", values: rolloutTargetStatuses } } as const;

/** GET /rollouts/{rollout_id}: whom it ordered, and what came of it. */
export const showRollout: Page = {
  path: "/rollouts/{rollout_id}",
  permission: "runners.read",
  async render(view) {
    const params = { rollout_id: view.param("rollout_id") };
    const query = readFilters(view.query, filters);
    const [rollout, { items, next_cursor: next }] = await Promise.all([
      view.ask(rollouts.get, { params }),
      view.ask(listRolloutProcessesRoute, { params, query }),
    ]);
    const at = `/rollouts/${rollout.id}`;
    return {
      title: `Rollout: ${rollout.type}`,
      live: isOpenRollout(rollout) ? ["jobs", "minute"] : [],
      main: html`${crumbs(["Groups", "/groups"], ["Rollouts", "/rollouts"])}
        ${heading(`Rollout: ${rollout.type}`, rollout.id, badge(rollout.status))}
        <p>${rollout.status_description || rolloutProgress(rollout)}</p>
        ${choices(view, [
          {
            label: "Call it off",
            to: `${at}/cancel`,
            permission: await permissionsFor(view, rollout),
            isOpen: isOpenRollout(rollout) && rollout.cancelled_by_id === null,
          },
        ])}
        ${rolloutFacts(rollout, view.nowMs)}
        <h2>Processes</h2>
        ${filterForm(at, view.query, filters)}
        ${items.length === 0 ? html`<p class="dim">None.</p>` : targetTable(items, view.nowMs)}
        ${pager(view.address, next)} ${await recentAudit(view, rollout.id)}`,
    };
  },
};

/** What it asks to call it off; nobody asks of one that is over. */
async function permissionsFor(
  view: View,
  rollout: Rollout,
): Promise<ReturnType<typeof permissionsOf>> {
  const { runner_group_id: id } = rollout;
  const isOfOne = id !== null && isOpenRollout(rollout);
  const group = isOfOne
    ? await view.ask(getRunnerGroupRoute, { params: { runner_group_id: id } })
    : { install_id: null };
  return permissionsOf(group, "runners.operate");
}

function rolloutFacts(rollout: Rollout, nowMs: number): Html {
  const { include_last: isLastIncluded, cancelled_by_id: cancelledBy } = rollout;
  return facts([
    ["Runners", scopeOf(rollout)],
    ["Progress", rolloutProgress(rollout)],
    ["At once", String(rollout.max_at_once)],
    ["Last live process of a runner", isLastIncluded ? "ordered too" : "skipped"],
    ["Running jobs", `may continue for ${formatDuration(rollout.deadline)}`],
    ["Reason", rollout.reason || "–"],
    ["Ordered", html`${timeAgo(rollout.created_at, nowMs)} by ${rollout.created_by_id}`],
    ["Called off by", cancelledBy ?? "–"],
  ]);
}

function targetTable(targets: readonly RolloutTarget[], nowMs: number): Html {
  return table(
    "Its processes, in the order in which they are asked",
    [
      { head: "Process", cell: ({ process_id: id }) => html`<span class="id">${id}</span>` },
      {
        head: "Runner",
        cell: ({ runner_id: id }) => html`<a class="id" href="/runners/${id}">${id}</a>`,
      },
      { head: "Status", cell: ({ status }) => badge(status) },
      { head: "Why", cell: ({ status_description: why }) => why || "–" },
      { head: "Ordered", kind: "minor", cell: ({ ordered_at: at }) => timeAgo(at, nowMs) },
      { head: "Ended", kind: "minor", cell: ({ ended_at: at }) => timeAgo(at, nowMs) },
    ],
    targets,
  );
}
