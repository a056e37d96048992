/** The lease of a claim. */
export const leaseMs = 30_000;
/** The lease of a turn that brokers run. */
export const taskLeaseMs = 60_000;

export type Runs = "pull" | "task" | "hold";
export type ModelCallback = {
  readonly on: readonly string[];
  readonly nextId: string;
  status: "waiting" | "skipped" | "done";
};
export type ModelSignal = {
  readonly id: string;
  readonly runs: Runs;
  readonly dedupeKey: string | null;
  readonly maxExecutions: number;
  /** As it was enqueued; a redrive after it forgets it. */
  readonly expiryAt: number | null;
  readonly callback: ModelCallback | null;
  status: string;
  place: number;
  hasPlace: boolean;
  executions: number;
  expiresAt: number | null;
  /** The first clock of its status. */
  deadlineAt: number | null;
  leaseId: string | null;
  /** The lease of what was said to have failed, or to have ended it. */
  reportedLease: string | null;
  claimId: string | null;
  isBegun: boolean;
};
/** What an enqueue asks for. */
export type Draft = Pick<
  ModelSignal,
  "id" | "runs" | "dedupeKey" | "maxExecutions" | "callback"
> & {
  readonly expiresInMs: number | null;
};

/** The back-off is up to a tenth longer. Time passes in steps of ten seconds: between two of them it always ends in the same one. */
export const retryDelayMs = 4_000;
/** When a back-off is over at the latest. */
export const latestRetryMs = (executions: number): number =>
  retryDelayMs * 2 ** (executions - 1) * 1.1;

/** The order of ids, which is that of their enqueues. */
export const byId = (a: { readonly id: string }, b: { readonly id: string }): number =>
  a.id < b.id ? -1 : 1;

/** By how much an extension puts off the end of a lease. */
export const leaseOf = ({ runs }: ModelSignal): number => (runs === "pull" ? leaseMs : taskLeaseMs);
