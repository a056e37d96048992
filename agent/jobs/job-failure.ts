/** The reason of a failed job in one word for machines: `error_metadata.reason` of its result. */
export type FailureReason =
  | "plan_invalid"
  | "unknown_type"
  | "tool_missing"
  | "source_unavailable"
  | "step_failed"
  | "timeout_step"
  | "outputs_invalid"
  | "oom"
  | "disk_full"
  | "process_run_error"
  | "lost"
  | "simulated"
  | "internal";

type Failure = {
  readonly reason: FailureReason;
  /** The result's number: a child's exit code where there is one. */
  readonly code?: number;
  readonly metadata?: Readonly<Record<string, string>>;
  /** What was produced all the same. */
  readonly outputs?: Readonly<Record<string, unknown>>;
};

/** A job that fails as jobs may: its message is the description that people read. */
export class JobFailure extends Error {
  override readonly name = "JobFailure";
  readonly reason: FailureReason;
  readonly code: number;
  readonly metadata: Readonly<Record<string, string>>;
  readonly outputs: Readonly<Record<string, unknown>> | undefined;

  constructor(words: string, { reason, code = 1, metadata = {}, outputs }: Failure) {
    super(words);
    this.reason = reason;
    this.code = code;
    this.metadata = metadata;
    this.outputs = outputs;
  }
}

/** A failure of the agent's own, as the job's. The plan may be in the error's text: only its code is told. */
export function crashOf(error: unknown): JobFailure {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOSPC" || code === "EDQUOT") {
    return new JobFailure("The disk of the agent's host is full.", { reason: "disk_full" });
  }
  const why = typeof code === "string" ? code : (error as Error).name;
  return new JobFailure(`The agent failed (${why}); its own log says how.`, { reason: "internal" });
}
