import type { StopReason } from "../running-job.ts";
import type { ExitName } from "./exit-codes.ts";

/** How urgent it is: what runs may finish, is stopped in order, or is killed. */
export const urgencies = ["staying", "draining", "stopping", "killing"] as const;
export type Urgency = (typeof urgencies)[number];

export type ShutdownRequest = {
  readonly urgency: Exclude<Urgency, "staying">;
  readonly exit: ExitName;
  /** For people: the process's status at the broker, and the log. */
  readonly why: string;
  /** When draining turns into stopping, by performance.now(). */
  readonly deadlineMs?: number;
  /** What runs does so without this process, and its next start resumes it: nothing is waited for or stopped. */
  readonly leavesJobs?: true;
  /** What jobs are told that are stopped by it. */
  readonly reason?: StopReason;
  /** The order that asked for it, to be reported as complete. */
  readonly shutdownId?: string;
};

/** Whether, why and how urgently the agent shuts down. It is decided once and can only become more urgent. */
export type ShutdownState = {
  readonly urgency: () => Urgency;
  readonly isRequested: () => boolean;
  /** What was last decided. */
  readonly current: () => ShutdownRequest | undefined;
  /** Every order that asked for it. */
  readonly shutdownIds: () => readonly string[];
  readonly request: (request: ShutdownRequest) => void;
  /** Aborts at the first decision. */
  readonly requested: AbortSignal;
  /** Resolves once it is as urgent as that. */
  readonly reached: (urgency: Urgency) => Promise<void>;
  readonly onChange: (listener: () => void) => void;
};

const rank = (urgency: Urgency): number => urgencies.indexOf(urgency);

/** Of two drains the later one counts, and the earlier deadline: nobody gets more time by being told twice. */
function withEarlierDeadline(
  request: ShutdownRequest,
  before: ShutdownRequest | undefined,
): ShutdownRequest {
  const { deadlineMs = Number.POSITIVE_INFINITY } = before ?? {};
  const isEarlier = request.urgency === "draining" && deadlineMs < (request.deadlineMs ?? Infinity);
  return isEarlier ? { ...request, deadlineMs } : request;
}

/** An agent that stays. */
export function makeShutdownState(): ShutdownState {
  const requested = new AbortController();
  const listeners = new Set<() => void>();
  const shutdownIds = new Set<string>();
  let now: ShutdownRequest | undefined;
  const urgency = (): Urgency => now?.urgency ?? "staying";
  return {
    urgency,
    isRequested: () => now !== undefined,
    current: () => now,
    shutdownIds: () => [...shutdownIds],
    request(request) {
      if (request.shutdownId !== undefined) shutdownIds.add(request.shutdownId);
      if (rank(request.urgency) < rank(urgency())) return;
      if (request.urgency === urgency() && request.urgency !== "draining") return;
      now = withEarlierDeadline(request, now);
      requested.abort();
      for (const listener of listeners) listener();
    },
    requested: requested.signal,
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
