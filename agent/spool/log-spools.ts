/** The logs on this disk that the broker does not have yet, and their bounds. One for the whole agent. */
export type LogSpools = {
  /** Bytes on disk that wait. */
  readonly waitingBytes: () => number;
  /** How long the oldest has been waiting; 0 when nothing waits. */
  readonly oldestWaitingMs: () => number;
};

export type LogSpoolsSpec = {
  /** `logs` in the data directory; made when it is missing. */
  readonly dir: string;
  /** The most that one job's log may occupy; 64 MiB unless told. */
  readonly maxBytesPerJob?: number;
  /** The most that all may occupy; 1 GiB unless told. */
  readonly maxBytes?: number;
};
