import { setTimeout as sleep } from "node:timers/promises";

/** Makes something for all who want the same at about the same time. */
export type Share<Made> = (key: string, make: () => Promise<Made>) => Promise<Made>;

/** After it was made, the same rests this long, or nine times as long as it took: it takes a tenth of the time at most. */
const rest = { leastMs: 400, mostMs: 2000, times: 9 };

type Turns<Made> = {
  /** What has not begun yet: whoever comes now waits for it. */
  next: Promise<Made> | undefined;
  /** Ends when the next may begin. */
  underWay: Promise<unknown>;
};

/**
 * What is made begins after it was asked for, never before, so that nobody is shown less than the hint promised which made them ask; and
 * nothing is kept. The first begins at once; who comes while it is made, or rests, shares the next. So what N wait for costs as much as
 * for a few of them, however often it changes.
 */
export function makeShare<Made>(): Share<Made> {
  const all = new Map<string, Turns<Made>>();
  return async (key, make) => {
    const turns = all.get(key) ?? { next: undefined, underWay: Promise.resolve() };
    all.set(key, turns);
    turns.next ??= turns.underWay.then(async () => {
      turns.next = undefined;
      const startedAtMs = performance.now();
      const made = make();
      turns.underWay = made
        .catch(() => {})
        .then(() => sleep(restMs(performance.now() - startedAtMs)))
        .then(() => {
          if (turns.next === undefined) all.delete(key);
        });
      return await made;
    });
    return await turns.next;
  };
}

const restMs = (tookMs: number): number =>
  Math.min(Math.max(tookMs * rest.times, rest.leastMs), rest.mostMs);
