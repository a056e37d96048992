import { parseDuration } from "../../shared/duration.ts";
import { type Pointer, problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import type { ParkedPoll, PollAnswer } from "./parked-polls.ts";

export const longestWaitMs = 25_000;
const mostPolls = 25_000;

/** Milliseconds of the query parameter `wait`; absent, ≤ 0 or over the limit means the limit. */
export function waitMs(wait: string | undefined, pointer: Pointer = "?wait"): number {
  if (wait === undefined) return longestWaitMs;
  const isNegative = wait.startsWith("-");
  const ns = wait === "0" ? 0 : parseDuration(isNegative ? wait.slice(1) : wait);
  if (ns === undefined) {
    throw problem.malformed("invalid_duration", 'Give a duration like "25s".', pointer);
  }
  const ms = Math.round(ns / 1e6);
  return isNegative || ms <= 0 || ms > longestWaitMs ? longestWaitMs : ms;
}

type Parking = {
  readonly poll: Omit<ParkedPoll<PollAnswer>, "settle">;
  readonly waitMs: number;
  /** Aborts when the client is gone: the poll leaves at once and never gets a job. */
  readonly signal: AbortSignal;
};

/**
 * Parks a poll until there is an answer for it; 429 when its runner or org has as many parked as it may. A newer poll of
 * the same process replaces the older one, which is answered empty.
 */
export function parkPoll(
  { polls, limits }: Pick<Broker, "polls" | "limits">,
  { poll, waitMs: ms, signal }: Parking,
): Promise<PollAnswer> {
  if (polls.isDraining()) return Promise.resolve({ kind: "draining" });
  const { parked } = polls.dispatcher;
  const older = poll.processId === null ? undefined : parked.ofProcess(poll.processId);
  if (older !== undefined && parked.leave(older)) older.settle({ kind: "empty" });
  const retryAfterS = 1 + Math.ceil(Math.random() * 5);
  if (limits.isReached("polls_of_runner", parked.countOfRunner(poll.runnerId))) {
    throw limits.refusal("polls_of_runner", retryAfterS);
  }
  if (limits.isReached("polls_of_org", parked.countOfOrg(poll.orgId))) {
    throw limits.refusal("polls_of_org", retryAfterS);
  }
  if (parked.size >= mostPolls) {
    throw problem.unavailable(
      "This broker has reached its limit of parked polls. Try again later.",
      retryAfterS,
    );
  }

  return new Promise((resolve) => {
    const waiter: ParkedPoll<PollAnswer> = { ...poll, settle };
    // A claim in progress is still for this poll: giving it back would cost an execution.
    const timer = setTimeout(
      () => void polls.dispatcher.served(waiter).then(() => leave({ kind: "empty" })),
      ms,
    );
    const onAbort = (): void => leave({ kind: "empty" });
    signal.addEventListener("abort", onAbort);
    if (signal.aborted) return settle({ kind: "empty" });
    polls.dispatcher.park(waiter);
    if (poll.processId !== null) polls.notifyParked(poll.processId);

    function leave(answer: PollAnswer): void {
      if (parked.leave(waiter)) settle(answer);
    }
    function settle(answer: PollAnswer): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      resolve(answer);
    }
  });
}
