/** The lease of a claim. */
export const leaseMs = 30_000;
/** The lease of a turn that brokers run. */
export const taskLeaseMs = 60_000;
/** When a holder is woken again. */
export const firstWakeMs = 30_000;
const longestWakeMs = 600_000;

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
  /** How long its holder has from one wake to the next. */
  wakeMs: number;
  leaseId: string | null;
  /** The lease of what was said to have failed, or to have ended it. */
  reportedLease: string | null;
  claimId: string | null;
  isBegun: boolean;
  /** Where it waits until a broker has room; null: it does not. */
  backlogged: number | null;
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
export const leaseOf = ({ runs, wakeMs }: ModelSignal): number =>
  runs === "hold" ? wakeMs : runs === "pull" ? leaseMs : taskLeaseMs;

/** Whether its expires_at has come. */
export const isPast = ({ expiresAt }: ModelSignal, now: number): boolean =>
  expiresAt !== null && expiresAt <= now;

/** The first of instants that are known; null: none is. */
export function earliest(...instants: (number | null)[]): number | null {
  const known = instants.filter((one) => one !== null);
  return known.length === 0 ? null : Math.min(...known);
}

/** What a signal is when it has got its place in line. */
export const freshSignal = (place: number, expiresAt: number | null) => ({
  status: "queued",
  place,
  hasPlace: false,
  executions: 0,
  expiresAt,
  deadlineAt: expiresAt,
  wakeMs: 0,
  leaseId: null,
  reportedLease: null,
  claimId: null,
  isBegun: false,
  backlogged: null,
});

/** What the end of its clock means. */
export function clockEvent(
  one: ModelSignal,
  now: number,
): "dead" | "expired" | "lapse" | "requeue" | "wake" {
  const isUnbegun = one.runs === "task" && !one.isBegun;
  if (one.status !== "in-flight") return isPast(one, now) ? "expired" : "requeue";
  if (one.runs === "hold") return "wake";
  return !isUnbegun && one.executions >= one.maxExecutions ? "dead" : "lapse";
}

/** Its holder is woken again, the next time after twice as long. */
export function wake(one: ModelSignal, now: number): void {
  one.wakeMs = Math.min(2 * one.wakeMs, longestWakeMs);
  one.deadlineAt = now + one.wakeMs;
}

const liveStatuses = ["queued", "in-flight", "retrying"];

/** Those in these statuses, or all that have not ended, in line. */
export function liveOf(signals: Iterable<ModelSignal>, statuses: readonly string[]): ModelSignal[] {
  const wanted = statuses.length === 0 ? liveStatuses : statuses;
  return [...signals]
    .filter(({ status }) => wanted.includes(status))
    .toSorted((a, b) => a.place - b.place);
}
