/** Why no job is claimed at present although slots are free: the cluster had no room for a pod. */
export type HeldClaims = {
  /** The cluster refuses a pod: no job is claimed for a while, the longer the more often in a row. */
  readonly hold: (words: string) => void;
  /** It took one. */
  readonly release: () => void;
  /** Why jobs are not claimed, in words; undefined when they are. */
  readonly problem: () => string | undefined;
};

const firstMs = 10_000;
const mostMs = 5 * 60_000;

/** Nothing is held back. */
export function makeHeldClaims(): HeldClaims {
  let inARow = 0;
  let held: { readonly words: string; readonly untilMs: number } | undefined;
  return {
    hold(words) {
      const isHeld = held !== undefined && performance.now() < held.untilMs;
      if (!isHeld) inARow += 1; // several that were under way at once are one
      const restMs = Math.min(mostMs, firstMs * 2 ** (inARow - 1));
      held = { words, untilMs: performance.now() + restMs };
    },
    release() {
      inARow = 0;
      held = undefined;
    },
    problem() {
      return held !== undefined && performance.now() < held.untilMs ? held.words : undefined;
    },
  };
}
