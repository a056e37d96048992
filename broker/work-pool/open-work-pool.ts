import type { Config } from "../config.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import { childProgram } from "./child-program.ts";
import type { WorkKinds } from "./work-kinds.ts";
import { type WorkBudget, WorkPool } from "./work-pool.ts";

const mebibyte = 1024 * 1024;

/** The pool of a broker, by its settings and with its metrics. */
export function openWorkPool(parts: {
  readonly config: Pick<Config, "workProcesses" | "workNice">;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly budget: WorkBudget;
}): WorkPool<WorkKinds> {
  const { config, log, metrics, budget } = parts;
  return new WorkPool<WorkKinds>({
    program: childProgram,
    most: config.workProcesses,
    mostWaiting: 2,
    patienceMs: 60_000,
    heapMb: 352,
    nice: config.workNice,
    bounds: { cpuMs: 20_000, wallMs: 60_000, rssBytes: 448 * mebibyte },
    mostKeptBytes: 256 * mebibyte,
    log,
    metrics,
    budget,
  });
}
