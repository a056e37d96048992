import { html } from "hono/html";
import { getWebhookStatsRoute, getWorkflowStatsRoute } from "../../../shared/api/activity-stats.ts";
import { formatDuration } from "../../../shared/duration.ts";
import type { Html, View } from "../page.ts";
import { type Series, timeChart } from "./time-chart.ts";

const dayMs = 86_400_000;
const step = "15m";

const count = (value: number): string => String(Math.round(value * 10) / 10);
const duration = (ns: number): string => (ns === 0 ? "0" : formatDuration(Math.round(ns)));

type Stats = { readonly at: readonly string[]; readonly step: number };
type Charted = { readonly title: string; readonly series: readonly Series[] };

/** How the workflows of a day ended, and how long they took. */
export async function workflowCharts(view: View): Promise<Html> {
  const stats = await view.ask(getWorkflowStatsRoute, { query: rangeOf(view) });
  const { ended, duration: times } = stats;
  return charts(stats, {
    ended: {
      title: "Workflows ended",
      series: [
        { name: "succeeded", tone: "t-good", values: ended.succeeded },
        { name: "failed", tone: "t-bad", values: ended.failed },
        { name: "cancelled", tone: "t-off", values: ended.cancelled },
      ],
    },
    took: { title: "From begin to end", series: percentiles(times) },
  });
}

/** How the calls to webhooks of a day ended, and how long receivers took to answer. */
export async function webhookCharts(view: View): Promise<Html> {
  const stats = await view.ask(getWebhookStatsRoute, { query: rangeOf(view) });
  return charts(stats, {
    ended: {
      title: "Calls to receivers",
      series: [
        { name: "delivered", tone: "t-good", values: stats.calls.delivered },
        { name: "failed", tone: "t-bad", values: stats.calls.failed },
      ],
    },
    took: { title: "Time to answer", series: percentiles(stats.duration) },
  });
}

const rangeOf = ({ nowMs }: View) =>
  ({ from: new Date(nowMs - dayMs).toISOString(), step }) as const;

const percentiles = ({
  p50,
  p95,
}: Readonly<Record<"p50" | "p95", readonly (number | null)[]>>): Series[] => [
  { name: "p95", tone: "t-warn", values: p95 },
  { name: "p50", tone: "t-busy", values: p50 },
];

function charts(
  { at, step: stepNs }: Stats,
  { ended, took }: { readonly ended: Charted; readonly took: Charted },
): Html {
  const points = { at, stepMs: stepNs / 1e6 };
  return html`<h2>The last 24 hours</h2>
    <div class="charts">
      <section>${timeChart({ ...points, ...ended, kind: "bars", words: count })}</section>
      <section>${timeChart({ ...points, ...took, kind: "lines", words: duration })}</section>
    </div>`;
}
