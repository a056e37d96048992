/** One request: OTLP/HTTP as gzipped protobuf, to POST /v1/log-streams/{streamId}/logs. */
export type LogRequest = {
  readonly streamId: string;
  readonly executionId: string;
  readonly body: Buffer;
  readonly contentType: "application/x-protobuf";
  readonly contentEncoding: "gzip";
};

/** What became of it. Rejects never mean "refused": what throws is tried again. */
export type LogAnswer =
  /** 2xx; so many of the records were refused for good (OTLP's partial success). */
  | { readonly kind: "stored"; readonly refused?: number; readonly why?: string }
  /** 429, 503, a proxy's page, no answer. */
  | { readonly kind: "later"; readonly afterMs?: number | undefined }
  /** 413 */
  | { readonly kind: "too-large" }
  /** 400, 415, 422: it will not be taken, however often it is sent. */
  | { readonly kind: "refused"; readonly why: string }
  /** 404, 409, 410: nobody wants this stream's records any more. */
  | { readonly kind: "over" };

export type SendLogs = (request: LogRequest, signal: AbortSignal) => Promise<LogAnswer>;

/** The loop that brings logs to the broker. */
export type LogShipping = {
  /** Resolves true when all records of a closed log are stored (or nobody wants them), false after the time. */
  readonly drained: (executionId: string, withinMs: number) => Promise<boolean>;
  /** The same for all logs, when the agent goes down. */
  readonly allDrained: (withinMs: number) => Promise<boolean>;
  /** Stops sending; what is on disk stays. */
  readonly stop: () => Promise<void>;
};
