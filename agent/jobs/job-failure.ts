/** The reason of a failed job in one word for machines: `error_metadata.reason` of its result. */
export type FailureReason =
  | "plan_invalid"
  | "unknown_type"
  | "refused"
  | "tool_missing"
  | "source_unavailable"
  | "step_failed"
  | "tool_failed"
  | "deploy_failed"
  | "timeout_step"
  | "outputs_invalid"
  | "oom"
  | "disk_full"
  | "process_run_error"
  | "lost"
  | "simulated"
  | "internal";

/** What went wrong, for programs: `type` says which members besides there are. */
export type CompositeError = {
  readonly type: string;
  readonly title: string;
  readonly detail: string;
  /** The same again may go well. */
  readonly retryable: boolean;
} & Readonly<Record<string, unknown>>;

type Failure = {
  readonly reason: FailureReason;
  /** The kind of failure, within its reason: `error_metadata.class`. */
  readonly class?: string;
  readonly composite?: CompositeError;
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

/** The failure of a job whose plan cannot be followed; `words` name the member and what is wrong with it. */
export function invalidPlan(words: string): JobFailure {
  return new JobFailure(`The plan is invalid: ${words}.`, { reason: "plan_invalid" });
}

/** A failure of the agent's own, as the job's. The plan may be in the error's text: only its code is told. */
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
