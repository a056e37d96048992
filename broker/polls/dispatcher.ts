import { makeLooks } from "./looks.ts";
import { ParkedPolls, type Poll, type PollAnswer } from "./parked-polls.ts";
import { makePollBatches, type PollServing, type Served } from "./poll-batches.ts";
import { makeReservations, type Reservations } from "./reservations.ts";

type DispatcherParts = PollServing & {
  /** Takes back what was found for a poll that had left meanwhile. */
  readonly undeliverable: (answer: PollAnswer) => void;
  /** A runner's job was shown to a poll, which may let the time pass. */
  readonly onOffer: (runnerId: string) => void;
};
export type Dispatcher = {
  readonly parked: ParkedPolls<PollAnswer>;
  /** Parks a poll and looks at once whether there is something for it. */
  readonly park: (poll: Poll) => void;
  /** Looks again for everybody who waits at these runners. */
  readonly look: (runnerIds: Iterable<string>) => void;
  /** Whether somebody looks for this poll just now. */
  readonly isServing: (poll: Poll) => boolean;
  /**
   * Leaves these polls to a look of somebody else's, which must not reject, and gives them what it finds. Whom it finds
   * nothing for stays parked; a look that was to be made for it meanwhile is made then.
   */
  readonly reserve: (polls: readonly Poll[], found: Promise<Served>) => void;
  /** Resolves when no batch is under way. */
  readonly settled: () => Promise<void>;
  /** Resolves when the batch that looks for this poll just now, if one does, is over. */
  readonly served: (poll: Poll) => Promise<void>;
};

/** The most polls that one claim statement serves. */
const batchPolls = 256;
/**
 * Serves parked polls. Runners where something changed are looked at in batches: one statement claims for all
 * of their polls, the longest-waiting first, and polls of other runners sleep on. One batch is under way at a
 * time, so that what arrives meanwhile travels together in the next.
 */
export function makeDispatcher(parts: DispatcherParts): Dispatcher {
  const { undeliverable, onOffer } = parts;
  const parked = new ParkedPolls<PollAnswer>();
  const dirty = new Set<string>();
  const reservations = makeReservations();
  const looks = makeLooks();
  const serveBatch = makePollBatches({ ...parts, looks, deliver });
  let running: Promise<void> | undefined;

  function look(runnerIds: Iterable<string>): void {
    for (const runnerId of runnerIds) {
      if (parked.countOfRunner(runnerId) > 0) dirty.add(runnerId);
    }
    if (dirty.size > 0) running ??= run();
  }

  async function run(): Promise<void> {
    // At the end of this turn of the event loop: what has already arrived comes along.
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
    await looks.during(polls, found.then(deliver));
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
    isServing: looks.isServing,
    reserve: (polls, found) => void reserve(polls, found),
    settled: async () => {
      await running;
      await looks.settled();
    },
    served: looks.served,
    park: (poll) => {
      parked.enter(poll);
      look([poll.runnerId]);
    },
  };
}

/** A poll that left while its claim was under way is gone; who asked the same again gets what it would have got. */
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
