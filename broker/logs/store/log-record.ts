export type Attributes = Readonly<Record<string, unknown>>;

/** What a record says of itself, as it was sent; text is free of NULs and of halves of surrogate pairs. */
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
  /** Of the process that wrote it, and of the scope that it wrote it in. */
  readonly resource: Attributes;
  /** Its own, without those that are members above. */
  readonly attributes: Attributes;
  readonly traceId?: string | undefined;
  readonly spanId?: string | undefined;
  /** It came when its stream had closed: the broker had ended its execution. */
  readonly late?: true | undefined;
  /** The bytes that its body had before it was cut. */
  readonly cutFrom?: number | undefined;
};

/** Records are missing here, were dropped, were deleted when their time time, or cannot be read. */
export type Notice = "missing" | "dropped" | "deleted" | "damaged";

/** A record as it is read: a cursor into a stream is a position. */
export type LogRecord = LogEntry & {
  readonly position: number;
  /** The broker's own words in the sender's place. */
  readonly notice?: Notice | undefined;
};
