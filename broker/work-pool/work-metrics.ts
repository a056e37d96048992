import { Problem } from "../../shared/problem.ts";
import type { Metrics } from "../metrics.ts";
import type { Children } from "./children.ts";

/** Shows a pool in the metrics; what it answers counts work that ended, by the error if there was one. */
export function workMetrics(
  metrics: Metrics,
  { all }: Pick<Children, "all">,
  waiting: () => number,
): (kind: string, error?: unknown) => void {
  const ends = metrics.counter(
    "svc_work_total",
    "Work for child processes that ended, was refused, or was given up.",
  );
  metrics.gauge("svc_work_processes", "Child processes that do work.", () => all.size);
  metrics.gauge("svc_work_process_bytes", "Memory of these processes after their last work.", () =>
    [...all].reduce((sum, { used }) => sum + used.rssBytes, 0),
  );
  metrics.gauge("svc_work_waiting", "Work that waits for a child process.", waiting);
  return (kind, error) => ends.add({ kind, end: error === undefined ? "done" : endOf(error) });
}

function endOf(error: unknown): string {
  if (!(error instanceof Problem)) return "failed";
  if (error.status === 429) return "busy";
  return error.status === 503 ? "given-up" : "refused";
}
