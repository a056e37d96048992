import { html } from "hono/html";
import type { RouteBody } from "../../../shared/api/route.ts";
import {
  type getStatsOverviewRoute,
  type ProblemKind,
  waitingText,
} from "../../../shared/api/stats-overview.ts";
import type { Html } from "../page.ts";
import { badge } from "../parts/badge.ts";
import { table } from "../parts/table.ts";
import { timeAgo, timeBetween } from "../parts/time.ts";

type Overview = RouteBody<typeof getStatsOverviewRoute>;

/** What waits, runs and failed, as numbers that lead to the lists behind them. */
export function tiles({ jobs, slots, last_hour: hour, runners }: Overview, nowMs: number): Html {
  const ended = hour.failed + hour.timed_out + hour.not_attempted;
  const all: readonly (readonly [string, Html | string | number, string])[] = [
    ["waiting", jobs.queued, "/jobs?status=waiting"],
    ["oldest waits", timeBetween(jobs.oldest_waiting_at, null, nowMs), "/jobs?status=waiting"],
    ["in progress", jobs.in_progress, "/jobs?status=in-progress"],
    ["slots in use", `${slots.in_use} of ${slots.capacity}`, "/jobs?status=in-progress"],
    ["finished in the last hour", hour.finished, "/jobs?status=finished"],
    [
      "failed in the last hour",
      html`<span class="${ended > 0 ? "bad" : ""}">${ended}</span>`,
      "/jobs?status=unsuccessful",
    ],
    ["runners online", `${runners.online}, ${runners.busy} busy`, "/runners"],
    [
      "runners offline",
      html`<span class="${runners.offline > 0 ? "bad" : ""}">${runners.offline}</span>`,
      "/runners",
    ],
  ];
  return html`<ul class="tiles">
    ${all.map(
      ([name, value, to]) =>
        html`<li>
          <a href="${to}"><strong>${value}</strong> <span>${name}</span></a>
        </li>`,
    )}
  </ul>`;
}

type Kind = {
  readonly words: string;
  readonly path: string;
  /** Where all of them are listed; at the path unless told. */
  readonly list?: string;
  /** What waits for it is not shown. */
  readonly hidesWaiting?: true;
};

const kinds: Readonly<Record<ProblemKind, Kind>> = {
  "jobs-failed": {
    words: "jobs that failed in the last hour",
    path: "/jobs",
    list: "/jobs?status=unsuccessful",
  },
  "jobs-without-taker": { words: "runners with jobs that no process takes", path: "/runners" },
  "queue-paused": { words: "paused queues", path: "/queues" },
  "runner-offline": { words: "runners that are offline", path: "/runners" },
  "runner-paused": { words: "paused runners", path: "/runners" },
  "shutdown-stuck": { words: "orders that are not obeyed", path: "/runners" },
  "signals-dead": { words: "queues with dead signals", path: "/queues" },
  "webhook-disabled": { words: "disabled webhooks", path: "/webhooks", hidesWaiting: true },
  "webhook-failing": { words: "failing webhooks", path: "/webhooks", hidesWaiting: true },
  "workflow-waiting": { words: "workflows that wait for a person", path: "/workflows" },
  "workspace-blocked": { words: "blocked workspaces", path: "/workspaces" },
};

/** How many of a kind are shown: many of one must not hide the others. */
const mostShown = 4;

/** What operators should look at, kind by kind, some of each. */
export function problemList({ as_of, problems }: Overview, nowMs: number): Html {
  if (as_of === null && problems.length === 0)
    return html`<p class="dim">What needs a look is known in a few seconds.</p>`;
  if (problems.length === 0) return html`<p>${badge("nothing needs a look", "good")}</p>`;
  const rows = problems.flatMap(({ kind, count, items }) =>
    items.slice(0, mostShown).map((item, at) => ({ ...item, kind, more: at === 0 ? count : 0 })),
  );
  return html`<h2>Needs a look</h2>
    ${table(
      "What needs a look",
      [
        {
          head: "Where",
          cell: ({ id, name, kind }) => html`<a href="${kinds[kind].path}/${id}">${name || id}</a>`,
        },
        {
          head: "What",
          cell: ({ kind, more }) =>
            html`${badge(kind, "warn")}${more > 1 ? html` <a href="${kinds[kind].list ?? kinds[kind].path}">one of ${more} ${kinds[kind].words}</a>` : ""}`,
        },
        { head: "Since", cell: ({ since }) => timeAgo(since, nowMs) },
        {
          head: "Waiting",
          kind: "figure",
          cell: ({ kind, waiting }) =>
            waiting === null || kinds[kind].hidesWaiting === true ? "" : waitingText(kind, waiting),
        },
      ],
      rows,
    )}`;
}
