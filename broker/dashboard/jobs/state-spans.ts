import type { RunnerJobExecution } from "../../../shared/api/runner-job-execution.ts";
import type { RunnerJob } from "../../../shared/api/runner-job.ts";
import { isFinal } from "../../../shared/runner-job.ts";

/** A stretch of time that something spent in one status. */
export type Span = {
  readonly status: string;
  readonly fromMs: number;
  readonly toMs: number;
};
export type SpanRow = { readonly name: string; readonly spans: readonly Span[] };
export type SpanTable = {
  readonly fromMs: number;
  readonly toMs: number;
  readonly rows: readonly SpanRow[];
};

/** Where a job spent its time: its statuses one after the other, and each execution below. Only the last twenty moves are kept. */
export function stateSpans(job: RunnerJob, nowMs: number): SpanTable {
  const { history, status, created_at_ts: sinceMs } = job.status_v2;
  const moves = [...history, { status, created_at_ts: sinceMs }];
  const isOver = isFinal(job.status);
  const endMs = isOver && job.finished_at !== null ? Date.parse(job.finished_at) : nowMs;
  const spans = moves.flatMap((move, at): Span[] => {
    const isEnd = at === moves.length - 1 && isOver;
    const toMs = moves[at + 1]?.created_at_ts ?? endMs;
    return isEnd ? [] : [{ status: move.status, fromMs: move.created_at_ts, toMs }];
  });
  const executions = (job.executions ?? []).map((one, at) => spanRow(one, at, endMs));
  const rows = [{ name: "Job", spans }, ...executions];
  const all = rows.flatMap((row) => row.spans);
  const fromMs = Math.min(Date.parse(job.created_at), ...all.map((span) => span.fromMs));
  return { fromMs, toMs: Math.max(endMs, fromMs + 1, ...all.map((span) => span.toMs)), rows };
}

function spanRow(execution: RunnerJobExecution, at: number, endMs: number): SpanRow {
  const { status, created_at: from, finished_at: to } = execution;
  const toMs = to === null ? endMs : Date.parse(to);
  return { name: `Execution ${at + 1}`, spans: [{ status, fromMs: Date.parse(from), toMs }] };
}
