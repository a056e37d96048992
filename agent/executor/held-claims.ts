/** Why no job is claimed at present although slots are free: the cluster has no room for a pod, or does not answer. */
export type HeldClaims = {
  /** The cluster refuses a pod: no job is claimed for a while, the longer the more often in a row. */
  readonly hold: (words: string) => void;
  /** It took one. */
  readonly release: () => void;
  /** What is asked from now on, besides: why no job may be claimed, for as long as it says so. */
  readonly heed: (why: () => string | undefined) => void;
  /** Why jobs are not claimed; undefined when they are. */
  readonly problem: () => HeldBack | undefined;
};

/** Why, in words, and by its number for health checks. */
export type HeldBack = { readonly words: string; readonly code: number };

/** As operators know them: EAGAIN, ENOLCK. */
const codes = { noRoom: 11, noLease: 37 } as const;

const firstMs = 10_000;
const mostMs = 5 * 60_000;

/** Nothing is held back. */
export function makeHeldClaims(): HeldClaims {
  let inARow = 0;
  let besides: (() => string | undefined) | undefined;
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
    heed(why) {
      besides = why;
    },
    problem() {
      const isHeld = held !== undefined && performance.now() < held.untilMs;
      if (isHeld && held !== undefined) return { words: held.words, code: codes.noRoom };
      const words = besides?.();
      return words === undefined ? undefined : { words, code: codes.noLease };
    },
  };
}
