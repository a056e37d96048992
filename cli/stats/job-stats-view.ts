import type { JobStats } from "../../shared/api/job-stats.ts";
import { formatTook } from "../output/format-age.ts";
import type { View } from "../output/print.ts";
import { largest, sparkline } from "./sparkline.ts";

/** One figure over time. */
export type Series = {
  readonly name: string;
  readonly values: readonly (number | null)[];
  readonly show: (value: number) => string;
};

const mostColumns = 48;
/** A number, or a mean, as it is printed. */
export const counted = (value: number): string => String(Math.round(value * 10) / 10);

/** A figure over time as a line of a table. */
export const seriesLine: View<Series> = {
  nameOf: ({ name }) => name,
  columns: {
    FIGURE: ({ name }) => name,
    "OVER TIME": ({ values }) => sparkline(values, mostColumns),
    LATEST: ({ values, show }) => shown(values.findLast((value) => value !== null) ?? null, show),
    HIGHEST: ({ values, show }) => shown(largest(values), show),
  },
};

const shown = (value: number | null, show: Series["show"]): string =>
  value === null ? "" : show(value);

/** What is shown of the jobs' figures: what never happened is left out. */
export function seriesOf(stats: JobStats): Series[] {
  const { moves, queue_time: queue, run_time: run, queues, types } = stats;
  const all: Series[] = [
    { name: "enqueued", values: moves.enqueued, show: counted },
    { name: "finished", values: moves.finished, show: counted },
    { name: "failed", values: moves.failed, show: counted },
    { name: "timed out", values: moves.timed_out, show: counted },
    { name: "not attempted", values: moves.not_attempted, show: counted },
    { name: "cancelled", values: moves.cancelled, show: counted },
    { name: "waiting", values: queues.waiting, show: counted },
    { name: "oldest waiting", values: queues.oldest_waiting, show: formatTook },
    { name: "in progress", values: queues.in_progress, show: counted },
    { name: "queue time p50", values: queue.p50, show: formatTook },
    { name: "queue time p95", values: queue.p95, show: formatTook },
    { name: "run time p50", values: run.p50, show: formatTook },
    { name: "run time p95", values: run.p95, show: formatTook },
    ...types.map(({ type, run_p95: values }) => ({
      name: `run time p95, ${type}`,
      values,
      show: formatTook,
    })),
  ];
  return whatHappened(all);
}

/** What happened at all. */
export const whatHappened = (series: readonly Series[]): Series[] =>
  series.filter(({ values }) => (largest(values) ?? 0) > 0);
