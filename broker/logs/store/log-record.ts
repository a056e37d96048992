export type Attributes = Readonly<Record<string, unknown>>;

/** A record as it was sent; its text has no NULs and no lone surrogates. */
export type LogEntry = {
  /** Microseconds since 1970, by the sender's clock. */
  readonly atUs: number;
  readonly observedAtUs?: number | undefined;
  /** OpenTelemetry's number: 1–4 trace, 5 debug, 9 info, 13 warn, 17 error, 21–24 fatal; 0 when it is not told. */
  readonly severity: number;
  readonly severityText?: string | undefined;
  /** Text; a structured body is its JSON. */
  readonly body: string;
  /** `svc.seq`: its number among its execution's records, from 1. */
  readonly seq?: number | undefined;
  /** `runner_job_execution.id` */
  readonly executionId?: string | undefined;
  /** `runner_job_execution_step.name` */
  readonly step?: string | undefined;
  /** Attributes of the process that wrote it, and of the scope. */
  readonly resource: Attributes;
  /** Its own attributes, without those that are members above. */
  readonly attributes: Attributes;
  readonly traceId?: string | undefined;
  readonly spanId?: string | undefined;
  /** It arrived after its stream had closed, because the broker had ended its execution. */
  readonly late?: true | undefined;
  /** The size of its body before it was cut, in bytes. */
  readonly cutFrom?: number | undefined;
};

/** Records are missing here, were dropped, were deleted by retention, or cannot be read. */
export type Notice = "missing" | "dropped" | "deleted" | "damaged";

/** A record as it is read: a cursor into a stream is a position. */
export type LogRecord = LogEntry & {
  readonly position: number;
  /** A notice of the broker in place of records. */
  readonly notice?: Notice | undefined;
};
