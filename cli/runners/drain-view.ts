import type { RunnerJob } from "../../shared/api/runner-job.ts";
import type { ProcessShutdown } from "../../shared/api/runner-process-shutdown.ts";
import { progressText } from "../jobs/progress-text.ts";
import { formatAge } from "../output/format-age.ts";
import type { DrawnLine } from "../output/status-line.ts";
import { tableOf } from "../output/table.ts";

/** How far the drain of a runner is. */
export type Drain = {
  readonly runnerId: string;
  readonly orders: readonly ProcessShutdown[];
  /** Jobs that run, with their executions: the first of them. */
  readonly shown: readonly RunnerJob[];
  /** How many run. */
  readonly count: number;
};

/** What an execution does at present: its status and, where it tells them, its steps. */
export function phaseOf(job: RunnerJob): string {
  const last = job.executions?.at(-1);
  const progress = last?.progress;
  const status = last?.status ?? job.status;
  if (progress == null) return status;
  return `${status}, ${progressText(progress).replaceAll("\n", "; ")}`;
}

/** The drain in lines: how many processes are gone, until when the others have, and what still runs. */
export function drainLines(drain: Drain): DrawnLine[] {
  const { orders, shown, count } = drain;
  const { rows } = tableOf(shown, {
    ID: ({ id }) => id,
    TYPE: ({ type }) => type,
    FOR: ({ started_at: at }) => (at === null ? "" : formatAge(at)),
    PHASE: phaseOf,
  });
  const more = count > shown.length ? [`  and ${count - shown.length} more`] : [];
  return [headOf(drain, orders), ...rows.map((row) => `  ${row}`), ...more];
}

function headOf({ runnerId, count }: Drain, orders: readonly ProcessShutdown[]): string {
  const gone = orders.filter(({ deadline_at: at }) => at === null).length;
  const deadline = orders.flatMap(({ deadline_at: at }) => at ?? []).toSorted()[0];
  const now = new Date().toISOString();
  const left = deadline === undefined ? "" : `, killed in ${formatAge(now, Date.parse(deadline))}`;
  const jobs = `${count} ${count === 1 ? "job runs" : "jobs run"}`;
  const all = orders.length === 1 ? "1 process" : `${orders.length} processes`;
  return `${runnerId}: ${gone} of ${all} gone, ${jobs}${count > 0 ? left : ""}`;
}
