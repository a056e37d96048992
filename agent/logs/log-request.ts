/** One request for POST /v1/log-streams/{streamId}/logs. */
export type LogRequest = {
  readonly streamId: string;
  readonly executionId: string;
  /** An ExportLogsServiceRequest as protobuf, gzipped. */
  readonly body: Buffer;
};

/** What became of it. What throws instead is tried again. */
export type LogAnswer =
  /** 2xx; `why` some of the records were refused for good (OTLP's partial success). */
  | { readonly kind: "stored"; readonly why?: string }
  /** 429, 503, a proxy's page, no answer. */
  | { readonly kind: "later"; readonly afterMs?: number | undefined }
  /** 413 */
  | { readonly kind: "too-large" }
  /** 400, 415, 422: it will not be taken, however often it is sent. */
  | { readonly kind: "refused"; readonly why: string }
  /** 404, 409, 410: nobody wants this stream's records any more. */
  | { readonly kind: "over" };

export type SendLogs = (request: LogRequest, signal: AbortSignal) => Promise<LogAnswer>;
