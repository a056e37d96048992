/** One request for POST /v1/log-streams/{streamId}/logs. */
export type LogRequest = {
  readonly streamId: string;
  readonly executionId: string;
  /** An ExportLogsServiceRequest as protobuf, gzipped. */
  readonly body: Buffer;
};

/** The outcome of a request. After an exception the request is retried. */
export type LogAnswer =
  /**
   * 2xx. `why`: the reason for permanently refused records (OTLP's partial success). Also whether the broker says that
   * the execution has ended.
   */
  | { readonly kind: "stored"; readonly why?: string; readonly isOver?: boolean }
  /** No answer, or not the broker's: a proxy's page, a 500. */
  | { readonly kind: "later"; readonly afterMs?: number | undefined }
  /** 429 or 503 with Retry-After: records arrive too fast. */
  | { readonly kind: "slower"; readonly afterMs?: number | undefined }
  /** 413 */
  | { readonly kind: "too-large" }
  /** 400, 415, 422: it is refused permanently. */
  | { readonly kind: "refused"; readonly why: string }
  /** 404, 409, 410: the stream accepts no records any more. */
  | { readonly kind: "over" };

export type SendLogs = (request: LogRequest, signal: AbortSignal) => Promise<LogAnswer>;
