import { Problem } from "../../shared/problem.ts";
import type { Metrics } from "../metrics.ts";
import type { Children } from "./children.ts";
import { isLeft, isRefusedForOthers } from "./work-problems.ts";

/** A pool as the metrics show it. */
type Watched = Pick<Children, "all"> & {
  readonly name: string;
  /** How many pieces of work wait for one of its children. */
  readonly waiting: () => number;
};

/** What /metrics shows of all pools. */
export type WorkMetrics = {
  /** Shows a pool; what it answers counts work that ended, by the error if there was one. */
  readonly watch: (pool: Watched) => (kind: string, error?: unknown) => void;
};

/** Registers what is shown of pools, of which there are none yet. */
export function workMetrics(metrics: Metrics): WorkMetrics {
  const pools: Watched[] = [];
  const ends = metrics.counter(
    "svc_work_total",
    "Work for child processes that ended, was refused, or was given up.",
  );
  const gauge = (name: string, help: string, read: (pool: Watched) => number): void =>
    metrics.gauge(name, help, () =>
      pools.map((pool) => [{ pool: pool.name }, read(pool)] as const),
    );
  gauge("svc_work_processes", "Child processes that do work.", ({ all }) => all.size);
  gauge("svc_work_process_bytes", "Memory of these processes after their last work.", ({ all }) =>
    [...all].reduce((sum, { used }) => sum + used.rssBytes, 0),
  );
  gauge("svc_work_waiting", "Work that waits for a child process.", ({ waiting }) => waiting());
  return {
    watch(pool) {
      pools.push(pool);
      return (kind, error) => ends.add({ kind, end: error === undefined ? "done" : endOf(error) });
    },
  };
}

function endOf(error: unknown): string {
  if (!(error instanceof Problem)) return "failed";
  if (isLeft(error)) return "left";
  if (error.status === 429 || isRefusedForOthers(error)) return "busy";
  return error.status === 503 ? "given-up" : "refused";
}
