import { html, raw } from "hono/html";
import { getJobStatsRoute } from "../../../shared/api/job-stats.ts";
import { listJobsRoute } from "../../../shared/api/read-runner-jobs.ts";
import { getStatsOverviewRoute } from "../../../shared/api/stats-overview.ts";
import { jobTable } from "../jobs/job-table.ts";
import type { Html, Page } from "../page.ts";
import { empty } from "../parts/table.ts";
import { timeAgo } from "../parts/time.ts";
import { jobCharts } from "./job-charts.ts";
import { problemList, tiles } from "./tiles.ts";

/** How far back the charts go, and from point to point. */
const ranges = {
  "1h": { words: "1 hour", ms: 3_600_000, step: "1m" },
  "24h": { words: "24 hours", ms: 86_400_000, step: "15m" },
  "7d": { words: "7 days", ms: 7 * 86_400_000, step: "1h" },
} as const;
type RangeName = keyof typeof ranges;

/** GET /: how things are, and were. */
export const overview: Page = {
  path: "/",
  permission: "jobs.read",
  nav: { label: "Overview", icon: "overview" },
  isShared: true,
  async render(view) {
    const asked = view.query.get("range") ?? "";
    const name: RangeName = Object.hasOwn(ranges, asked) ? (asked as RangeName) : "1h";
    const { ms, step } = ranges[name];
    const from = new Date(view.nowMs - ms).toISOString();
    const [now, stats, { items }] = await Promise.all([
      view.ask(getStatsOverviewRoute, {}),
      view.ask(getJobStatsRoute, { query: { from, step } }),
      view.ask(listJobsRoute, { query: { limit: 10 } }),
    ]);
    return {
      title: "Overview",
      live: ["jobs", "minute"],
      main: html`<h1>Overview</h1>
        ${tiles(now, view.nowMs)} ${problemList(now, view.nowMs)} ${rangeLinks(name)}
        <p class="dim">As of ${timeAgo(now.as_of, view.nowMs)}. Times are in UTC.</p>
        ${jobCharts(stats)}
        <h2>The newest jobs</h2>
        ${
          items.length === 0
            ? empty(
                "No jobs yet",
                html`Enqueue one: <code>svc job create --runner RUNNER --type noop</code>`,
              )
            : jobTable("The newest jobs", items, view.nowMs)
        }`,
    };
  },
};

function rangeLinks(shown: RangeName): Html {
  return html`<nav class="ranges" aria-label="Time of the charts">
    ${Object.entries(ranges).map(
      ([name, { words }]) =>
        html`<a
          class="button"
          href="/?range=${name}"
          ${name === shown ? raw('aria-current="true"') : ""}
          >${words}</a
        >`,
    )}
  </nav>`;
}
