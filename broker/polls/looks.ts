import type { Poll } from "./parked-polls.ts";

/** What is looked for at the database just now, and for which polls. */
export type Looks = {
  /** Counts it as a look for these polls until it is over; answers what it answers. */
  readonly during: <Result>(polls: readonly Poll[], over: Promise<Result>) => Promise<Result>;
  /** Whether a look is made just now for this poll, or for another one of its process: one may repeat the other. */
  readonly isServing: (poll: Poll) => boolean;
  /** Whether a look for this poll is over: then it repeats nothing any more. */
  readonly wasServed: (poll: Poll) => boolean;
  /** Resolves when the current look for this poll, if there is one, has ended. */
  readonly served: (poll: Poll) => Promise<void>;
  /** Resolves when no look is in progress. */
  readonly settled: () => Promise<void>;
};

type Look = { readonly polls: ReadonlySet<Poll>; readonly over: Promise<unknown> };

/** Starts empty. Must not reject: waiters ignore the result. */
export function makeLooks(): Looks {
  const looks = new Set<Look>();
  const counts = new Map<Poll | string, number>();
  const served = new WeakSet<Poll>();

  function count(polls: Iterable<Poll>, by: 1 | -1): void {
    for (const poll of polls) {
      const key = askerOf(poll);
      const now = (counts.get(key) ?? 0) + by;
      if (now > 0) counts.set(key, now);
      else counts.delete(key);
    }
  }

  return {
    async during(polls, over) {
      const look = { polls: new Set(polls), over };
      looks.add(look);
      count(look.polls, 1);
      try {
        return await over;
      } finally {
        looks.delete(look);
        count(look.polls, -1);
        for (const poll of polls) served.add(poll);
      }
    },
    isServing: (poll) => counts.has(askerOf(poll)),
    wasServed: (poll) => served.has(poll),
    async served(poll) {
      for (const { polls, over } of looks) if (polls.has(poll)) await over;
    },
    async settled() {
      await Promise.all(Array.from(looks, ({ over }) => over));
    },
  };
}

/** Polls of one process are one asker: what is claimed for one of them may be given to the next. */
export function askerOf(poll: Poll): Poll | string {
  return poll.processId ?? poll;
}
