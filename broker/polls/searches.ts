import type { Poll } from "./parked-polls.ts";

/** The searches for work at the database that are in progress, and for which polls. */
export type Searches = {
  /** Counts `over` as a search for these polls until it ends, and answers its result. It must not reject: `settled` and `served` ignore its result. */
  readonly during: <Result>(polls: readonly Poll[], over: Promise<Result>) => Promise<Result>;
  /** Whether a search for this poll, or for another one of its process, is in progress: one may repeat the other. */
  readonly isServing: (poll: Poll) => boolean;
  /** Whether a search for this poll has ended: then it repeats nothing any more. */
  readonly wasServed: (poll: Poll) => boolean;
  /** Resolves when the current search for this poll, if there is one, has ended. */
  readonly served: (poll: Poll) => Promise<void>;
  /** Resolves when no search is in progress. */
  readonly settled: () => Promise<void>;
};

type Search = { readonly polls: ReadonlySet<Poll>; readonly over: Promise<unknown> };

/** Starts empty. */
export function makeSearches(): Searches {
  const searches = new Set<Search>();
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
      const search = { polls: new Set(polls), over };
      searches.add(search);
      count(search.polls, 1);
      try {
        return await over;
      } finally {
        searches.delete(search);
        count(search.polls, -1);
        for (const poll of polls) served.add(poll);
      }
    },
    isServing: (poll) => counts.has(askerOf(poll)),
    wasServed: (poll) => served.has(poll),
    async served(poll) {
      for (const { polls, over } of searches) if (polls.has(poll)) await over;
    },
    async settled() {
      await Promise.all(Array.from(searches, ({ over }) => over));
    },
  };
}

/** Polls of one process are one asker: what is claimed for one of them may be given to the next. */
export function askerOf(poll: Poll): Poll | string {
  return poll.processId ?? poll;
}
