import type { ExecutionProgress } from "../../shared/api/execution-progress.ts";
import type {
  LateEvidence,
  RunnerJobExecution,
  RunnerJobExecutionOutputs,
  RunnerJobExecutionResult,
} from "../../shared/api/runner-job-execution.ts";
import type { JsonPlaceholders } from "../seals/json-placeholders.ts";
import { type OpeningParts, openLarge } from "../seals/open-large.ts";
import type { RecordedReport } from "./record-report.ts";
import type {
  EvidenceRow,
  ExecutionRow,
  OutputsRow,
  ProgressRow,
  ResultRow,
  StepRow,
} from "./row.ts";

/** An execution as the API shows it; its result and outputs are shown beside it where one is read. */
export function toExecution(row: ExecutionRow): RunnerJobExecution {
  const since = statusSince(row);
  return {
    id: row.id,
    org_id: row.org_id,
    runner_job_id: row.runner_job_id,
    runner_id: row.runner_id,
    runner_process_id: row.process_id,
    status: row.status,
    status_description: row.status_description,
    status_v2: {
      status: row.status,
      status_human_description: row.status_description,
      created_at_ts: since.getTime(),
      metadata: {},
      history: historyOf(row),
    },
    ended_by: row.ended_by,
    metadata: {},
    deadline_at: row.deadline_at.toISOString(),
    confirmed_at: row.confirmed_at?.toISOString() ?? null,
    finished_at: row.finished_at?.toISOString() ?? null,
    logs_complete: row.logs_complete,
    created_at: row.created_at.toISOString(),
    updated_at: since.toISOString(),
  };
}

/** What the end of an execution is answered with. */
export function toFinished({ execution, jobStatus }: RecordedReport) {
  return { execution: toExecution(execution), job_status: jobStatus };
}

/** The history has the time at which each status ended, which is when the next one began. */
function historyOf(row: ExecutionRow): RunnerJobExecution["status_v2"]["history"] {
  return row.history.map((entry, at) => ({
    status: entry.status,
    status_human_description: entry.description,
    created_at_ts: leftAt(row, at - 1).getTime(),
    metadata: {},
  }));
}

function statusSince(row: ExecutionRow): Date {
  return row.finished_at ?? leftAt(row, row.history.length - 1);
}

function leftAt(row: ExecutionRow, entry: number): Date {
  const left = row.history[entry]?.at;
  return left === undefined ? row.created_at : new Date(left);
}

/** A result as the API shows it; contents that the row lacks are left out. */
export function toResult(row: ResultRow): RunnerJobExecutionResult {
  return {
    id: row.id,
    org_id: row.org_id,
    runner_job_execution_id: row.execution_id,
    success: row.success,
    error_code: row.error_code,
    error_metadata: row.error_metadata,
    composite_error: row.composite_error,
    ...(row.contents != null && { contents: row.contents }),
    ...(row.contents_display != null && { contents_display: row.contents_display }),
    ...(row.contents_gzip != null && { contents_gzip: row.contents_gzip.toString("base64") }),
    ...(row.contents_display_gzip != null && {
      contents_display_gzip: row.contents_display_gzip.toString("base64"),
    }),
    created_at: row.created_at.toISOString(),
  };
}

/** Outputs as the API shows them, parsed and also byte for byte; long ones are read while they are sent. */
export async function toOutputs(
  { outputs, ...row }: OutputsRow,
  { placeholders, ...parts }: OpeningParts & { readonly placeholders: JsonPlaceholders },
): Promise<RunnerJobExecutionOutputs> {
  const opened = typeof outputs === "string" ? outputs : await openLarge(parts, outputs);
  return {
    id: row.id,
    org_id: row.org_id,
    runner_job_execution_id: row.execution_id,
    ...(typeof opened === "string"
      ? { outputs: parseOutputs(opened), outputs_json: Buffer.from(opened).toString("base64") }
      : { outputs: placeholders.json(opened) as never, outputs_json: placeholders.base64(opened) }), // an object, when it is sent
    created_at: row.created_at.toISOString(),
  };
}

/** Stored outputs are JSON; anything but an object is shown as an empty object. */
export function parseOutputs(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text);
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : {}; // checked in the line before
}

/** The progress of an execution, as the API shows it. */
export function toProgress({
  progress,
  steps,
}: {
  readonly progress: ProgressRow;
  readonly steps: readonly StepRow[];
}): ExecutionProgress {
  return {
    steps: steps.map(({ name, status, detail, started_at, ended_at }) => ({
      name,
      status,
      detail,
      started_at: started_at?.toISOString() ?? null,
      ended_at: ended_at?.toISOString() ?? null,
    })),
    is_full: progress.is_full,
    updated_at: progress.updated_at.toISOString(),
  };
}

/** Late evidence as the API shows it. */
export function toEvidence(row: EvidenceRow): LateEvidence {
  return {
    kind: row.kind,
    body: row.body,
    reason: row.reason,
    created_at: row.created_at.toISOString(),
  };
}
