import type { RunnerJobGroup } from "../../shared/runner-job-types.ts";
import { settleWithin } from "../database/driver-workarounds.ts";
import type { QueueKey } from "../queues/queue-keys.ts";
import type { Wakes } from "../wake/wakes.ts";
import { type Claimed, type ClaimRequest, mostClaims, type Opening } from "./claim-jobs.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { Poll, PollAnswer } from "./parked-polls.ts";
import type { PendingOrders } from "./pending-orders.ts";
import type { Served } from "./poll-batches.ts";
import { answerClaims } from "./serve-polls.ts";

/** So many jobs are about to be enqueued in this queue, by this org. */
export type Arrival = QueueKey & {
  readonly orgId: string;
  readonly jobGroup: RunnerJobGroup;
  readonly count: number;
};

export type HandedOff<Made> = {
  readonly made: Made;
  /** What the same statement claimed, an entry a request. It is read apart: who enqueued does not hear of its failure. */
  readonly readClaims: (opening: Opening) => readonly Claimed[];
};

/**
 * Lets the statement that enqueues jobs claim for polls that are parked here for them: `enqueue` is given their
 * requests, none where nobody waits. Nobody else looks for those polls until it is over; whom it claims nothing for
 * waits on, in its place and until its time. Rejects as `enqueue` does.
 */
export type HandOff = <Made>(
  arrivals: readonly Arrival[],
  enqueue: (requests: readonly ClaimRequest[]) => Promise<HandedOff<Made>>,
) => Promise<Made>;

type HandOffParts = Opening & {
  readonly dispatcher: Dispatcher;
  readonly orders: PendingOrders;
  readonly wakes: Wakes;
  /** Told how many polls a statement claims for. */
  readonly onBatch: (polls: number) => void;
};

/** The hand-off to the polls of one dispatcher. */
export function makeHandOff(parts: HandOffParts): HandOff {
  const { dispatcher, onBatch, log } = parts;

  async function answersFrom(
    polls: readonly Poll[],
    { readClaims }: HandedOff<unknown>,
  ): Promise<Served> {
    const answers = new Map<Poll, PollAnswer>();
    try {
      await answerClaims(parts, { polls, claimed: readClaims(parts) }, answers);
    } catch (error) {
      // What they were to get comes back by its clock 30 s after the claim.
      log.error({ err: error }, "could not answer the polls that an enqueue claimed for");
    }
    return answers;
  }

  return async (arrivals, enqueue) => {
    const requests = requestsFor(dispatcher, arrivals);
    if (requests.size === 0) return (await enqueue([])).made;
    const polls = [...requests.keys()];
    onBatch(polls.length);
    const handedOff = settleWithin(enqueue([...requests.values()]));
    const nothing: Served = new Map();
    dispatcher.reserve(
      polls,
      handedOff.then(
        (done) => answersFrom(polls, done),
        () => nothing, // who enqueues hears it
      ),
    );
    return (await handedOff).made;
  };
}

/**
 * Who gets what arrives, and what each asks of it, the longest-waiting first. The work is bounded by the number of jobs:
 * each poll that is looked at takes one at least. Nobody is passed over who waits longer: while somebody looks for that
 * one, the jobs of its queue are left to the look that follows the enqueue. So they are where nobody has looked for that
 * one yet: it may repeat a poll whose answer was lost.
 */
function requestsFor(
  { parked, isServing, wasServed }: Dispatcher,
  arrivals: readonly Arrival[],
): Map<Poll, ClaimRequest> {
  const wants = new Map<Poll, Map<string, number>>();
  let room = mostClaims;
  for (const { orgId, count, ...queue } of arrivals) {
    let open = count;
    for (const poll of parked.ofQueue(queue)) {
      const want = poll.groups?.get(queue.jobGroup) ?? 0;
      if (open <= 0 || want > room || poll.orgId !== orgId) break;
      if (isServing(poll) || !wasServed(poll)) break;
      const groups = wants.get(poll) ?? new Map<string, number>();
      wants.set(poll, groups.set(queue.jobGroup, want));
      open -= want;
      room -= want;
    }
  }
  const oldestFirst = [...wants].toSorted(
    ([one], [other]) => parked.placeOf(one) - parked.placeOf(other),
  );
  return new Map(oldestFirst.map(([poll, groups]) => [poll, toRequest(poll, groups)]));
}

function toRequest(
  { runnerId, processId, pollId }: Poll,
  groups: ReadonlyMap<string, number>,
): ClaimRequest {
  return { runnerId, processId: processId ?? "", pollId, groups };
}
