import type { StopReason } from "../running-job.ts";
import type { ExitName } from "./exit-codes.ts";

/** How urgent it is: running jobs may finish, are stopped, or are killed. */
export const urgencies = ["staying", "draining", "stopping", "killing"] as const;
export type Urgency = (typeof urgencies)[number];

export type ShutdownRequest = {
  readonly urgency: Exclude<Urgency, "staying">;
  readonly exit: ExitName;
  /** The reason, for people: in the process's status at the broker, and in the log. */
  readonly why: string;
  /** When draining turns into stopping, by performance.now(). */
  readonly deadlineMs?: number;
  /** Jobs continue without this process and are resumed by its next start: nothing is waited for or stopped. */
  readonly leavesJobs?: true;
  /** The stop reason for jobs that it stops. */
  readonly reason?: StopReason;
  /** The order that asked for it, to be reported as complete. */
  readonly shutdownId?: string;
};

/** Whether, why and how urgently the agent shuts down. A later request can only make it more urgent. */
export type ShutdownState = {
  readonly urgency: () => Urgency;
  readonly isRequested: () => boolean;
  /** The latest decision. */
  readonly current: () => ShutdownRequest | undefined;
  /** All orders that requested it. */
  readonly shutdownIds: () => readonly string[];
  readonly request: (request: ShutdownRequest) => void;
  /** Aborts at the first decision. */
  readonly requested: AbortSignal;
  /** Resolves when it is at least this urgent. */
  readonly reached: (urgency: Urgency) => Promise<void>;
  readonly onChange: (listener: () => void) => void;
};

const rank = (urgency: Urgency): number => urgencies.indexOf(urgency);

/** Until when running jobs may finish: the latest order says so, and nobody gives more time than signals and the host do. */
function makeDeadline(): (request: ShutdownRequest) => Pick<ShutdownRequest, "deadlineMs"> {
  let [ordered, own] = [Infinity, Infinity];
  return ({ shutdownId, deadlineMs = Infinity }) => {
    if (shutdownId === undefined) own = Math.min(own, deadlineMs);
    else ordered = deadlineMs;
    const earlier = Math.min(ordered, own);
    return earlier === Infinity ? {} : { deadlineMs: earlier };
  };
}

/** Makes the state of an agent that does not shut down. */
export function makeShutdownState(): ShutdownState {
  const requested = new AbortController();
  const listeners = new Set<() => void>();
  const shutdownIds = new Set<string>();
  const deadlineOf = makeDeadline();
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
      now = request.urgency === "draining" ? { ...request, ...deadlineOf(request) } : request;
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
