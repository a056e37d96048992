/** Takes secrets out of what a job prints, says and answers. */
export type Redactor = {
  /** From the next byte on, the secret is nowhere, in any encoding; too short or too common a text is let be. */
  readonly add: (secret: string | Uint8Array) => void;
  /** For error texts, descriptions and whatever is shown. */
  readonly redactText: (text: string) => string;
  /** Every text and every key in a JSON value; the very same value when nothing was found. */
  readonly redactJson: <T>(value: T) => T;
  /** For output, which arrives in pieces cut anywhere. */
  readonly stream: (resume?: StreamPosition) => RedactionStream;
};

/** Redacts a stream of bytes piece by piece; it never holds back more than what may be the beginning of a secret. */
export type RedactionStream = {
  /** The next piece; answers what can be said for certain by now. */
  readonly push: (bytes: Uint8Array) => Buffer;
  /** What was held back; the stream is over. */
  readonly end: () => Buffer;
  /** Where another stream can go on, so that the outputs of both make one. */
  readonly position: () => StreamPosition;
};

/** A place in a stream: plain JSON, no secret in it. */
export type StreamPosition = {
  /** Bytes of the source that have been answered for. */
  readonly offset: number;
  /** So many bytes after them belong to a secret that was already replaced. */
  readonly covered?: number;
  /** The shape of the token that is being swallowed. */
  readonly swallowing?: string;
};
