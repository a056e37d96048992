type How = ErrorOptions & {
  /** false: it is dead, whatever executions remain. */
  readonly retry?: boolean;
  /** In place of its own back-off; a day at most. */
  readonly retryAfterMs?: number;
  readonly result?: Readonly<Record<string, unknown>>;
};

/** Thrown by a handler that says how its signal is to be tried again; any other error leaves that to the signal. */
export class SignalFailure extends Error {
  override readonly name = "SignalFailure";
  readonly retry: boolean | undefined;
  readonly retryAfterMs: number | undefined;
  readonly result: Readonly<Record<string, unknown>> | undefined;

  constructor(message: string, { retry, retryAfterMs, result, ...rest }: How = {}) {
    super(message, rest);
    this.retry = retry;
    this.retryAfterMs = retryAfterMs;
    this.result = result;
  }
}
