import type { StopReason } from "../running-job.ts";
import type { ExitName } from "./exit-codes.ts";

/** How urgent it is: what runs may finish, is stopped in order, or is killed. */
export const urgencies = ["staying", "draining", "stopping", "killing"] as const;
export type Urgency = (typeof urgencies)[number];

export type Leaving = {
  readonly urgency: Exclude<Urgency, "staying">;
  readonly exit: ExitName;
  /** For people: the process's status at the broker, and the log. */
  readonly why: string;
  /** When draining turns into stopping, by performance.now(). */
  readonly deadlineMs?: number;
  /** What runs does so without this process, and its next start takes it up: nothing is waited for or stopped. */
  readonly leavesJobs?: true;
  /** What jobs are told that are stopped by it. */
  readonly reason?: StopReason;
  /** The order that asked for it, to be reported as complete. */
  readonly shutdownId?: string;
};

/** Whether, why and how urgently the agent goes down. It is decided once and can only become more urgent. */
export type Departure = {
  readonly urgency: () => Urgency;
  readonly isLeaving: () => boolean;
  /** What was last decided. */
  readonly leaving: () => Leaving | undefined;
  /** Every order that asked for it. */
  readonly shutdownIds: () => readonly string[];
  readonly begin: (leaving: Leaving) => void;
  /** Aborts at the first decision. */
  readonly begun: AbortSignal;
  /** Resolves once it is as urgent as that. */
  readonly reached: (urgency: Urgency) => Promise<void>;
  readonly onChange: (listener: () => void) => void;
};

const rank = (urgency: Urgency): number => urgencies.indexOf(urgency);

/** Of two drains the later one counts, and the earlier deadline: nobody gets more time by being told twice. */
function withEarlierDeadline(leaving: Leaving, before: Leaving | undefined): Leaving {
  const { deadlineMs = Number.POSITIVE_INFINITY } = before ?? {};
  const isEarlier = leaving.urgency === "draining" && deadlineMs < (leaving.deadlineMs ?? Infinity);
  return isEarlier ? { ...leaving, deadlineMs } : leaving;
}

/** An agent that stays. */
export function makeDeparture(): Departure {
  const begun = new AbortController();
  const listeners = new Set<() => void>();
  const shutdownIds = new Set<string>();
  let now: Leaving | undefined;
  const urgency = (): Urgency => now?.urgency ?? "staying";
  return {
    urgency,
    isLeaving: () => now !== undefined,
    leaving: () => now,
    shutdownIds: () => [...shutdownIds],
    begin(leaving) {
      if (leaving.shutdownId !== undefined) shutdownIds.add(leaving.shutdownId);
      if (rank(leaving.urgency) < rank(urgency())) return;
      if (leaving.urgency === urgency() && leaving.urgency !== "draining") return;
      now = withEarlierDeadline(leaving, now);
      begun.abort();
      for (const listener of listeners) listener();
    },
    begun: begun.signal,
    reached: (wanted) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (rank(urgency()) < rank(wanted)) return;
          listeners.delete(look);
          resolve();
        };
        listeners.add(look);
        look();
      }),
    onChange: (listener) => void listeners.add(listener),
  };
}
