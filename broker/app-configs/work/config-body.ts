/** A config as it came, which another process reads: an archive, or a JSON document. */
export type ConfigBody = {
  readonly form: "archive" | "document";
  readonly bytes: Buffer;
  /** What an archive says that it unpacks to, within what it may. */
  readonly unpackedBytes: number;
};
