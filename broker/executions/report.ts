import type { ExecutionStatus } from "../../shared/runner-job-execution.ts";
import type { LargeText } from "../seals/large-text.ts";

/** A result as runners send it, its members named as they are stored. */
export type ResultReport = {
  readonly success: boolean;
  readonly error_code: number;
  readonly error_metadata: Readonly<Record<string, string>>;
  readonly composite_error?: Readonly<Record<string, unknown>> | null | undefined;
  readonly contents?: string | undefined;
  readonly contents_display?: string | undefined;
  /** Standard base64. */
  readonly contents_gzip?: string | undefined;
  readonly contents_display_gzip?: string | undefined;
  /** The JSON of these four, where it is long, in their place. */
  readonly large?: LargeText | undefined;
};

/** Outputs, or the text of their JSON where that is long. */
export type ReportedOutputs = Readonly<Record<string, unknown>> | LargeText;

/** What a runner says of an execution: its status, result, outputs, or several of these. */
export type Report = {
  readonly orgId: string;
  readonly runnerId: string;
  /** When given, the execution must be this job's. */
  readonly jobId?: string | undefined;
  readonly executionId: string;
  /** Absent: only a result or outputs. */
  readonly status?: ExecutionStatus | undefined;
  readonly description?: string | undefined;
  readonly lastRecord?: number | undefined;
  readonly giveBack?: boolean | undefined;
  readonly result?: ResultReport | undefined;
  readonly outputs?: ReportedOutputs | undefined;
};
