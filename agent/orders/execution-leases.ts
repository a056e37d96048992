/**
 * An instant by both clocks of this host: the monotonic clock ignores that somebody sets the time, and the wall clock
 * runs on while the host sleeps.
 */
export type Moment = { readonly monoMs: number; readonly wallMs: number };

/** What this agent last heard from the broker about its executions. Nothing new begins on old news. */
export type ExecutionLeases = {
  /**
   * The broker's answer named these executions, and its orders against others were taken. `asked` is when the request
   * was sent.
   */
  readonly renewed: (executionIds: readonly string[], asked: Moment) => void;
  /** The request that was sent then was not answered. */
  readonly renewalFailed: (asked: Moment) => void;
  /** Whether the last news about one of these is old. */
  readonly isStale: (executionIds: readonly string[]) => boolean;
  /** Requests news about an execution for another reason. */
  readonly recheck: (executionId: string) => void;
  /**
   * Resolves when something new of the execution may begin, or when the signal aborts. Recent news suffice; older ones
   * are renewed by a heartbeat. An unreachable broker is waited for only after so long a silence that it has declared
   * this process lost, or if it never spoke of the execution to this process.
   */
  readonly mayBegin: (executionId: string, signal: AbortSignal) => Promise<void>;
};

/** News of this age are trusted. Heartbeats bring new ones every five seconds. */
const freshMs = 15_000;
/** After this silence the broker declares a process lost, with all its executions. */
const givenUpMs = 5 * 60_000;
/** Doubts in quick succession count as one. */
const doubtMs = 1_000;

/** Now. */
export function momentNow(): Moment {
  return { monoMs: performance.now(), wallMs: Date.now() };
}

/** Makes empty leases; `ask` triggers a heartbeat that asks the broker about all held executions. */
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
