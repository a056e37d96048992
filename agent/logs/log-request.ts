/** One request for POST /v1/log-streams/{streamId}/logs. */
export type LogRequest = {
  readonly streamId: string;
  readonly executionId: string;
  /** An ExportLogsServiceRequest as protobuf, gzipped. */
  readonly body: Buffer;
};

/** What became of it. What throws instead is tried again. */
export type LogAnswer =
  /** 2xx; `why` some of the records were refused for good (OTLP's partial success); whether the broker says that their execution is over. */
  | { readonly kind: "stored"; readonly why?: string; readonly isOver?: boolean }
  /** No answer, or nobody's: a proxy's page, 500. */
  | { readonly kind: "later"; readonly afterMs?: number | undefined }
  /** 429 or 503 of a broker that says when to come again: what is sent comes too fast. */
  | { readonly kind: "slower"; readonly afterMs?: number | undefined }
  /** 413 */
  | { readonly kind: "too-large" }
  /** 400, 415, 422: it will not be taken, however often it is sent. */
  | { readonly kind: "refused"; readonly why: string }
  /** 404, 409, 410: nobody wants this stream's records any more. */
  | { readonly kind: "over" };

export type SendLogs = (request: LogRequest, signal: AbortSignal) => Promise<LogAnswer>;
