import { z } from "zod";
import { progressStatuses } from "../../shared/api/execution-progress.ts";
import { executionStatuses } from "../../shared/runner-job-execution.ts";
import type { LargeSealed } from "../seals/open-large.ts";

/** A row of `runner_job_executions`, without the digest of its token. */
export const executionRow = z.object({
  id: z.string(),
  org_id: z.string(),
  runner_job_id: z.string(),
  runner_id: z.string(),
  process_id: z.string().nullable(),
  holders: z.array(z.string()).nullable(),
  is_ours: z.boolean(),
  status: z.enum(executionStatuses),
  status_description: z.string(),
  ended_by: z.enum(["client", "broker"]).nullable(),
  history: z.array(z.object({ status: z.string(), description: z.string(), at: z.string() })),
  created_at: z.date(),
  deadline_at: z.date(),
  confirmed_at: z.date().nullable(),
  finished_at: z.date().nullable(),
  last_record: z.number().nullable(),
});
export type ExecutionRow = z.infer<typeof executionRow> & { readonly logs_complete: boolean };

/** A row of `runner_job_execution_results`; its contents, up to 64 MiB, only when a query asks for them. */
export const resultRow = z.object({
  execution_id: z.string(),
  org_id: z.string(),
  id: z.string(),
  success: z.boolean(),
  error_code: z.number(),
  error_metadata: z.record(z.string(), z.string()),
  composite_error: z.record(z.string(), z.unknown()).nullable(),
  contents: z.string().nullable().optional(),
  contents_display: z.string().nullable().optional(),
  contents_gzip: z.instanceof(Buffer).nullable().optional(),
  contents_display_gzip: z.instanceof(Buffer).nullable().optional(),
  sealed_contents: z.instanceof(Buffer).nullable().optional(),
  key_id: z.string().nullable().optional(),
  created_at: z.date(),
});
export type ResultRow = z.infer<typeof resultRow>;

/** A row of `runner_job_execution_outputs`: sealed with a key, or readable without one. */
export const outputsRow = z.object({
  execution_id: z.string(),
  org_id: z.string(),
  id: z.string(),
  outputs: z.string().nullable(),
  sealed_outputs: z.instanceof(Buffer).nullable(),
  key_id: z.string().nullable(),
  created_at: z.date(),
});
type StoredOutputs = z.infer<typeof outputsRow>;
/** With the text of the outputs as it was sent; long outputs as a sealed value to open. */
export type OutputsRow = Omit<StoredOutputs, "outputs" | "sealed_outputs" | "key_id"> & {
  readonly outputs: string | LargeSealed;
};

/** A row of `runner_job_execution_progress`. */
export const progressRow = z.object({
  execution_id: z.string(),
  org_id: z.string(),
  steps: z.number(),
  is_full: z.boolean(),
  updated_at: z.date(),
});
export type ProgressRow = z.infer<typeof progressRow>;

/** A row of `runner_job_execution_steps`. */
export const stepRow = z.object({
  execution_id: z.string(),
  name: z.string(),
  org_id: z.string(),
  n: z.number(),
  status: z.enum(progressStatuses),
  detail: z.string(),
  started_at: z.date().nullable(),
  ended_at: z.date().nullable(),
});
export type StepRow = z.infer<typeof stepRow>;

/** A row of `runner_job_execution_evidence`. */
export const evidenceRow = z.object({
  id: z.number(),
  execution_id: z.string(),
  org_id: z.string(),
  kind: z.enum(["status", "result", "outputs"]),
  body: z.unknown(),
  sealed: z.instanceof(Buffer).nullable(),
  key_id: z.string().nullable(),
  reason: z.string(),
  created_at: z.date(),
});
/** A large one has, instead of its body, a sealed value to open. */
export type EvidenceRow = Omit<z.infer<typeof evidenceRow>, "sealed"> & {
  readonly large?: LargeSealed | undefined;
};
