import type { Log } from "../log.ts";

/** Results that wait to be delivered, by execution. Each outlives the agent from the moment its `put` resolves. */
export type ResultSpool = {
  /**
   * Keeps a result; JSON, secrets already taken out. Never rejects: where the disk refuses, it is kept in memory,
   * written as soon as the disk allows, and `problem` says so until then.
   */
  readonly put: (executionId: string, result: object) => Promise<void>;
  /** The executions whose results wait, the oldest first. */
  readonly list: () => readonly string[];
  /** The result as it was put; undefined when there is none or it was corrupt (then it has been set aside). */
  readonly read: (executionId: string) => Promise<object | undefined>;
  /** It was delivered, or finally refused. */
  readonly remove: (executionId: string) => Promise<void>;
  /** Moves what cannot be made sense of to corrupt/, with one warning. */
  readonly setAside: (executionId: string, why: string) => Promise<void>;
  /** Why results are not safe at present, for people; no job should be claimed while there is a reason. */
  readonly problem: () => string | undefined;
  /** Stops trying to write what the disk refused. */
  readonly close: () => void;
};

export type ResultSpoolSpec = {
  /** `results` in the data directory; made when it is missing. */
  readonly dir: string;
  readonly log: Log;
  /** How often a refused write is tried again; 2 s unless told. */
  readonly retryEveryMs?: number;
};
