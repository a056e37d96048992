import type { Poll } from "./parked-polls.ts";

/** What is looked for at the database just now, and for which polls. */
export type Looks = {
  /** Counts it as a look for these polls until it is over; answers what it answers. */
  readonly during: <Result>(polls: readonly Poll[], over: Promise<Result>) => Promise<Result>;
  /** Whether a look is made for this poll just now. */
  readonly isServing: (poll: Poll) => boolean;
  /** Resolves when the current look for this poll, if there is one, has ended. */
  readonly served: (poll: Poll) => Promise<void>;
  /** Resolves when no look is in progress. */
  readonly settled: () => Promise<void>;
};

type Look = { readonly polls: ReadonlySet<Poll>; readonly over: Promise<unknown> };

/** None as yet. Looks must not reject: those who wait for their end want no result. */
export function makeLooks(): Looks {
  const looks = new Set<Look>();
  const counts = new Map<Poll, number>();

  function count(polls: Iterable<Poll>, by: 1 | -1): void {
    for (const poll of polls) {
      const now = (counts.get(poll) ?? 0) + by;
      if (now > 0) counts.set(poll, now);
      else counts.delete(poll);
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
      }
    },
    isServing: (poll) => counts.has(poll),
    async served(poll) {
      for (const { polls, over } of looks) if (polls.has(poll)) await over;
    },
    async settled() {
      await Promise.all(Array.from(looks, ({ over }) => over));
    },
  };
}
