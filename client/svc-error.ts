/** A place of a request that is not as it must be. */
export type FaultPlace = {
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
};

type Parts = ErrorOptions & {
  readonly code: string;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly errors?: readonly FaultPlace[] | undefined;
  readonly retryAfterMs?: number | undefined;
};

/**
 * Whatever this package could not do. A call that its caller's signal ends throws that signal's reason instead, and what
 * only a mistake in the caller's code can cause is a TypeError.
 */
export class SvcError extends Error {
  override readonly name: string = "SvcError";
  /** Of the answer; 0 where there was none. */
  readonly status: number;
  /**
   * Switch on it: the broker's own code, or `unreachable`, `untrusted`, `timeout`, `redirected`, `answer_too_large`, `bad_answer`,
   * `webhook_…`; `unknown` where the answer was none of a broker's.
   */
  readonly code: string;
  /** For whoever runs the broker; empty where nobody answered. */
  readonly requestId: string;
  readonly errors: readonly FaultPlace[];
  /** How long the answer asked to wait, if it did. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, { code, status, requestId, errors, retryAfterMs, ...rest }: Parts) {
    super(message, rest);
    this.code = code;
    this.status = status ?? 0;
    this.requestId = requestId ?? "";
    this.errors = errors ?? [];
    this.retryAfterMs = retryAfterMs;
  }
}
