/** An instant by both of our clocks: the one goes on while the host sleeps, the other while somebody sets the time. */
export type Moment = { readonly monoMs: number; readonly wallMs: number };

/** What is known here of the broker's view of executions: nothing new begins upon news that are too old. */
export type ExecutionLeases = {
  /** The broker answered what was asked then and named these executions; its orders against them are taken. */
  readonly renewed: (executionIds: readonly string[], asked: Moment) => void;
  /** What was asked then was not answered. */
  readonly renewalFailed: (asked: Moment) => void;
  /** Whether the broker has not spoken of one of these for a while. */
  readonly isStale: (executionIds: readonly string[]) => boolean;
  /** Something else gives reason to ask about an execution. */
  readonly recheck: (executionId: string) => void;
  /**
   * Resolves when something new of the execution may begin, or when the signal aborts: the broker spoke of it a moment
   * ago, or does so now. One that is not there is waited for only when it has been silent for so long that it has given
   * this process up, or when it has never spoken of the execution to this process.
   */
  readonly mayBegin: (executionId: string, signal: AbortSignal) => Promise<void>;
};

/** Younger news are the truth. Heartbeats bring some every five seconds. */
const freshMs = 15_000;
/** After such a silence the broker gives a process up, and all that it held. */
const givenUpMs = 5 * 60_000;
/** Doubts that come in a row are one. */
const doubtMs = 1_000;

/** Now. */
export function momentNow(): Moment {
  return { monoMs: performance.now(), wallMs: Date.now() };
}

/** A book in which nothing is written; `ask` makes the agent ask the broker soon what it holds. */
export function makeExecutionLeases(ask: () => void): ExecutionLeases {
  const heardAt = new Map<string, Moment>();
  const listeners = new Set<() => void>();
  let vainAt: Moment | undefined;

  function mayBeginNow(executionId: string): boolean {
    const ageMs = ageOf(heardAt.get(executionId));
    return ageMs <= freshMs || (ageMs <= givenUpMs && ageOf(vainAt) <= freshMs);
  }

  function changed(): void {
    for (const listener of listeners) listener();
  }

  return {
    renewed(executionIds, asked) {
      for (const id of executionIds) heardAt.set(id, asked);
      for (const [id, at] of heardAt) if (ageOf(at) > givenUpMs) heardAt.delete(id);
      vainAt = undefined;
      changed();
    },
    renewalFailed(asked) {
      vainAt = asked;
      changed();
    },
    isStale: (executionIds) => executionIds.some((id) => ageOf(heardAt.get(id)) > freshMs),
    recheck(executionId) {
      if (ageOf(heardAt.get(executionId)) > doubtMs) ask();
    },
    async mayBegin(executionId, signal) {
      if (signal.aborted || mayBeginNow(executionId)) return;
      ask();
      await new Promise<void>((resolve) => {
        const look = (): void => {
          if (!signal.aborted && !mayBeginNow(executionId)) return;
          listeners.delete(look);
          signal.removeEventListener("abort", look);
          resolve();
        };
        listeners.add(look);
        signal.addEventListener("abort", look);
      });
    },
  };
}

function ageOf(moment: Moment | undefined): number {
  if (moment === undefined) return Number.POSITIVE_INFINITY;
  return Math.max(performance.now() - moment.monoMs, Date.now() - moment.wallMs);
}
