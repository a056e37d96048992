import { html } from "hono/html";
import type { JobStats } from "../../../shared/api/job-stats.ts";
import { formatDuration } from "../../../shared/duration.ts";
import { type TimeChart, timeChart } from "../charts/time-chart.ts";
import type { Html } from "../page.ts";
import { table } from "../parts/table.ts";

const count = (value: number): string => String(Math.round(value * 10) / 10);
const duration = (ns: number): string => (ns === 0 ? "0" : formatDuration(Math.round(ns)));

/** Throughput, latencies, depth and capacity of jobs over time; a time that nothing is known of is a gap. */
export function jobCharts(stats: JobStats): Html {
  const { at, step, moves, queue_time: queueTime, run_time: runTime, queues } = stats;
  const chart = (
    title: string,
    kind: TimeChart["kind"],
    words: TimeChart["words"],
    ...series: TimeChart["series"]
  ): Html =>
    html`<section>${timeChart({ title, kind, words, series, at, stepMs: step / 1e6 })}</section>`;
  const ended = moves.failed.map((failed, n) => {
    const others = [failed, moves.timed_out[n], moves.not_attempted[n]];
    return others.every((one) => one == null)
      ? null
      : others.reduce<number>((sum, one) => sum + (one ?? 0), 0);
  });
  return html`<div class="charts">
      ${chart("Jobs ended", "bars", count, { name: "finished", tone: "t-good", values: moves.finished }, { name: "failed", tone: "t-bad", values: ended }, { name: "cancelled", tone: "t-off", values: moves.cancelled })}
      ${chart("Time in the queue", "lines", duration, { name: "p95", tone: "t-warn", values: queueTime.p95 }, { name: "p50", tone: "t-busy", values: queueTime.p50 })}
      ${chart("Run time", "lines", duration, { name: "p95", tone: "t-warn", values: runTime.p95 }, { name: "p50", tone: "t-busy", values: runTime.p50 })}
      ${chart("Jobs waiting and running", "lines", count, { name: "waiting", tone: "t-warn", values: queues.waiting }, { name: "in progress", tone: "t-busy", values: queues.in_progress })}
      ${chart("Age of the oldest waiting job", "lines", duration, { name: "age", tone: "t-warn", values: queues.oldest_waiting })}
      ${chart("Slots of live runners", "lines", count, { name: "capacity", tone: "t-good", values: queues.capacity }, { name: "in use", tone: "t-busy", values: queues.slots_in_use })}
    </div>
    ${typeTable(stats)}`;
}

const mostTypes = 12;

function typeTable({ types }: JobStats): Html | string {
  const rows = types
    .map(({ type, ended, run_p50: p50, run_p95: p95 }) => ({
      type,
      ended: ended.reduce<number>((sum, one) => sum + (one ?? 0), 0),
      p50: last(p50),
      p95: last(p95),
      longest: Math.max(0, ...p95.map((one) => one ?? 0)),
    }))
    .filter(({ ended }) => ended > 0)
    .toSorted((one, other) => other.ended - one.ended);
  if (rows.length === 0) return "";
  return html`<h2>Run time by type</h2>
    ${table(
      "Run time by type, the most frequent first",
      [
        { head: "Type", cell: ({ type }) => type },
        { head: "Ended", kind: "figure", cell: ({ ended }) => ended },
        { head: "p50, lately", kind: "figure", cell: ({ p50 }) => duration(p50) },
        { head: "p95, lately", kind: "figure", cell: ({ p95 }) => duration(p95) },
        { head: "Highest p95", kind: "figure", cell: ({ longest }) => duration(longest) },
      ],
      rows.slice(0, mostTypes),
    )}`;
}

const last = (values: readonly (number | null)[]): number =>
  values.findLast((value) => value !== null) ?? 0;
