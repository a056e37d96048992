import { ParkedPolls, type Poll, type PollAnswer } from "./parked-polls.ts";
import { makePollBatches, type PollServing, type Served } from "./poll-batches.ts";
import { makeReservations, type Reservations } from "./reservations.ts";
import { makeSearches } from "./searches.ts";

type DispatcherParts = PollServing & {
  /** Takes back an answer for a poll that has left in the meantime. */
  readonly undeliverable: (answer: PollAnswer) => void;
  /** A job was offered to a poll, which may let the offer expire. */
  readonly onOffer: (runnerId: string) => void;
};
export type Dispatcher = {
  readonly parked: ParkedPolls<PollAnswer>;
  /** Parks a poll and looks at once for work for it. */
  readonly park: (poll: Poll) => void;
  /** Looks again for all polls of these runners. */
  readonly look: (runnerIds: Iterable<string>) => void;
  /** Whether somebody looks for this poll, or for its process, just now. */
  readonly isServing: (poll: Poll) => boolean;
  /** Whether a look for it is over already. */
  readonly wasServed: (poll: Poll) => boolean;
  /**
   * Leaves these polls to a look of somebody else's, which must not reject, and gives them what it finds. Whom it finds
   * nothing for stays parked; a look that was to be made for it meanwhile is made then.
   */
  readonly reserve: (polls: readonly Poll[], found: Promise<Served>) => void;
  /** Resolves when no batch is in progress. */
  readonly settled: () => Promise<void>;
  /** Resolves when the current batch with this poll, if there is one, has ended. */
  readonly served: (poll: Poll) => Promise<void>;
};

/** The most polls that one claim statement serves. */
const batchPolls = 256;
/**
 * Serves parked polls. Runners with news are served in batches: one statement claims for all
 * of their polls, longest-waiting first; polls of other runners stay parked. One batch is in progress at a
 * time, so that what arrives in the meantime shares the next one.
 */
export function makeDispatcher(parts: DispatcherParts): Dispatcher {
  const { undeliverable, onOffer } = parts;
  const parked = new ParkedPolls<PollAnswer>();
  const dirty = new Set<string>();
  const reservations = makeReservations();
  const searches = makeSearches();
  const serveBatch = makePollBatches({ ...parts, searches, deliver });
  let running: Promise<void> | undefined;

  function look(runnerIds: Iterable<string>): void {
    for (const runnerId of runnerIds) {
      if (parked.countOfRunner(runnerId) > 0) dirty.add(runnerId);
    }
    if (dirty.size > 0) running ??= run();
  }

  async function run(): Promise<void> {
    // At the end of this turn of the event loop, so that what has already arrived is included.
    await new Promise((resolve) => setImmediate(resolve));
    try {
      while (dirty.size > 0) {
        await serveBatch(takeBatch({ parked, reservations }, dirty));
      }
    } finally {
      running = undefined;
    }
  }

  async function reserve(polls: readonly Poll[], found: Promise<Served>): Promise<void> {
    reservations.add(polls);
    await searches.during(polls, found.then(deliver));
    look(reservations.release(polls));
  }

  function deliver(served: Served): void {
    for (const [poll, answer] of served) {
      if (answer.kind === "offer") onOffer(poll.runnerId);
      const receiver = parked.has(poll) ? poll : repetitionOf(parked, poll);
      if (receiver !== undefined && parked.leave(receiver)) receiver.settle(answer);
      else undeliverable(answer);
    }
  }

  return {
    parked,
    look,
    isServing: searches.isServing,
    wasServed: searches.wasServed,
    reserve: (polls, found) => void reserve(polls, found),
    settled: async () => {
      await running;
      await searches.settled();
    },
    served: searches.served,
    park: (poll) => {
      parked.enter(poll);
      look([poll.runnerId]);
    },
  };
}

/** When a poll left during its claim, a repetition of the same poll gets its answer. */
function repetitionOf(
  parked: ParkedPolls<PollAnswer>,
  { processId, pollId }: Poll,
): Poll | undefined {
  const newer = processId === null ? undefined : parked.ofProcess(processId);
  return pollId !== null && newer?.pollId === pollId ? newer : undefined;
}

type Room = {
  readonly parked: ParkedPolls<PollAnswer>;
  readonly reservations: Reservations;
};

function takeBatch({ parked, reservations }: Room, dirty: Set<string>): Poll[] {
  const polls: Poll[] = [];
  for (const runnerId of dirty) {
    dirty.delete(runnerId);
    for (const poll of parked.ofRunner(runnerId)) {
      const waitsForJobs = poll.groups === null || poll.groups.size > 0;
      if (waitsForJobs && !reservations.passesOver(poll)) polls.push(poll);
    }
    if (polls.length >= batchPolls) break;
  }
  return polls;
}
