/** Why a job failed, in one word for programs: `error_metadata.reason` of its result. */
export type FailureReason =
  | "plan_invalid"
  | "unknown_type"
  | "refused"
  | "tool_missing"
  | "source_unavailable"
  | "step_failed"
  | "tool_failed"
  | "deploy_failed"
  | "build_failed"
  | "registry_failed"
  | "secrets_failed"
  | "timeout_step"
  | "outputs_invalid"
  | "oom"
  | "disk_full"
  | "process_run_error"
  | "lost"
  | "simulated"
  | "internal";

/** What went wrong, for programs. `type` decides which other members there are. */
export type CompositeError = {
  readonly type: string;
  readonly title: string;
  readonly detail: string;
  /** Whether a retry may succeed. */
  readonly retryable: boolean;
} & Readonly<Record<string, unknown>>;

type Failure = {
  readonly reason: FailureReason;
  /** The kind of failure, within its reason: `error_metadata.class`. */
  readonly class?: string;
  readonly composite?: CompositeError;
  /** The code of the result; a child's exit code if there was one. */
  readonly code?: number;
  readonly metadata?: Readonly<Record<string, string>>;
  /** Outputs that exist despite the failure. */
  readonly outputs?: Readonly<Record<string, unknown>>;
};

/** An expected failure of a job; its message is the description that people read. */
export class JobFailure extends Error {
  override readonly name = "JobFailure";
  readonly reason: FailureReason;
  readonly code: number;
  readonly metadata: Readonly<Record<string, string>>;
  readonly composite: CompositeError | undefined;
  readonly outputs: Readonly<Record<string, unknown>> | undefined;

  constructor(words: string, failure: Failure) {
    super(words);
    this.reason = failure.reason;
    this.code = failure.code ?? 1;
    this.metadata = {
      ...failure.metadata,
      ...(failure.class !== undefined && { class: failure.class }),
    };
    this.composite = failure.composite;
    this.outputs = failure.outputs;
  }
}

/** The failure of a job with an invalid plan; `words` name the member and what is wrong with it. */
export function invalidPlan(words: string): JobFailure {
  return new JobFailure(`The plan is invalid: ${words}.`, { reason: "plan_invalid" });
}

/**
 * Reports an unexpected error of the agent as the job's failure. The error's text may contain the plan, so only its
 * code is reported.
 */
export function internalFailure(error: unknown): JobFailure {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOSPC" || code === "EDQUOT") {
    return new JobFailure("The disk of the agent's host is full.", { reason: "disk_full" });
  }
  const why = typeof code === "string" ? code : (error as Error).name;
  return new JobFailure(`Internal error of the agent (${why}). See the agent's log for details.`, {
    reason: "internal",
  });
}
