import type { AnswerClass } from "./answer-class.ts";

type Told = {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly executionStatus?: string | undefined;
};

/** The broker said no, and saying it again would not help; `what` says what has come to its end by that. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly what: Exclude<AnswerClass, "retry">;
  readonly status: number;
  readonly code: string;
  /** The process whose request it was, where it was one's: the agent may be another one by now. */
  readonly processId: string | undefined;
  /** Where the execution is, of which a report was not taken. */
  readonly executionStatus: string | undefined;

  constructor(
    what: Exclude<AnswerClass, "retry">,
    { status, code, detail, executionStatus }: Told,
    processId?: string,
  ) {
    super(detail === "" ? `The broker answered ${status}.` : detail);
    this.what = what;
    this.status = status;
    this.code = code;
    this.processId = processId;
    this.executionStatus = executionStatus;
  }
}

/** No answer that can be believed: no connection, none in time, or somebody else's page. */
export class Unanswered extends Error {
  override readonly name = "Unanswered";
  /** What the other side asked to wait, ms. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, retryAfterMs?: number, cause?: unknown) {
    super(message, { cause });
    this.retryAfterMs = retryAfterMs;
  }
}

/** The broker is there, and says when to come again: it has too much to do just now. */
export class SlowedDown extends Unanswered {}

/** Whether the error says that an execution is not ours any more. */
export function isJobOver(error: unknown): error is Refused {
  return error instanceof Refused && error.what === "job-over";
}
