/** Headers that no caller may set on a call that a broker makes: those of the connection, and those by which receivers know us. */
export const reservedHeaders: readonly string[] = [
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "user-agent",
  "webhook-id",
  "webhook-signature",
  "webhook-timestamp",
  "x-svc-signature",
];

/** Whether a header, in any case, is one of those. */
export const isReservedHeader = (name: string): boolean =>
  reservedHeaders.includes(name.toLowerCase());
