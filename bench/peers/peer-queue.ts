/** What a library of jobs is asked for. */
export type PeerQueue = {
  /** One job is enqueued, taken by a worker and done. */
  readonly live: () => Promise<void>;
  /** So many are enqueued by one call; workers of its own take them. */
  readonly send: (count: number) => Promise<void>;
  /** How many of these are done so far. */
  readonly done: () => number;
};
