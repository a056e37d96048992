/** The part of a claimed signal that a worker itself needs. */
export type ClaimedSignal = {
  readonly id: string;
  readonly type: string;
  /** The data, as it was enqueued. */
  readonly signal: Readonly<Record<string, unknown>>;
  /** This execution included. */
  readonly execution_count: number;
  readonly max_executions: number;
  readonly lease_id: string;
  readonly lease_until: string;
};

/** What a signal came to; kept with it, and passed on to its callbacks. */
export type SignalResult = Readonly<Record<string, unknown>>;
