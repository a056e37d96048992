import type { AnswerClass } from "./answer-class.ts";

type Told = {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly executionStatus?: string | undefined;
};

/** The broker refused, and a retry would not help; `what` is what the refusal ends. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly what: Exclude<AnswerClass, "retry">;
  readonly status: number;
  readonly code: string;
  /** The process that sent the request; the agent may be another one by now. */
  readonly processId: string | undefined;
  /** The status of the execution whose report was refused. */
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

/** No trustworthy answer: no connection, a timeout, or an answer of something in between. */
export class Unanswered extends Error {
  override readonly name = "Unanswered";
  /** The requested delay before a retry, in ms. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, retryAfterMs?: number, cause?: unknown) {
    super(message, { cause });
    this.retryAfterMs = retryAfterMs;
  }
}

/** The broker is reachable but overloaded, and says when to retry. */
export class SlowedDown extends Unanswered {}

/** Whether the error means that an execution no longer belongs to this agent. */
export function isJobOver(error: unknown): error is Refused {
  return error instanceof Refused && error.what === "job-over";
}
