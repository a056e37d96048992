/** Why no job is claimed at present although slots are free: the cluster has no room for a pod, or does not answer. */
export type HeldClaims = {
  /** The cluster refuses a pod: no job is claimed for a while, which grows with each refusal in a row. */
  readonly hold: (words: string) => void;
  /** The cluster accepted a pod. */
  readonly release: () => void;
  /** Adds another condition: while it returns a reason, no job is claimed. */
  readonly addCondition: (why: () => string | undefined) => void;
  /** Why no jobs are claimed; undefined when they are. */
  readonly problem: () => HeldBack | undefined;
};

/** The reason as a sentence, and as a number for health checks. */
export type HeldBack = { readonly words: string; readonly code: number };

/** The numbers of errno: EAGAIN, ENOLCK. */
const codes = { noRoom: 11, noLease: 37 } as const;

const firstMs = 10_000;
const mostMs = 5 * 60_000;

/** Claims that are not held back at first. */
export function makeHeldClaims(): HeldClaims {
  let inARow = 0;
  let condition: (() => string | undefined) | undefined;
  let held: { readonly words: string; readonly untilMs: number } | undefined;
  return {
    hold(words) {
      const isHeld = held !== undefined && performance.now() < held.untilMs;
      if (!isHeld) inARow += 1; // refusals of concurrent requests count once
      const restMs = Math.min(mostMs, firstMs * 2 ** (inARow - 1));
      held = { words, untilMs: performance.now() + restMs };
    },
    release() {
      inARow = 0;
      held = undefined;
    },
    addCondition(why) {
      condition = why;
    },
    problem() {
      const isHeld = held !== undefined && performance.now() < held.untilMs;
      if (isHeld && held !== undefined) return { words: held.words, code: codes.noRoom };
      const words = condition?.();
      return words === undefined ? undefined : { words, code: codes.noLease };
    },
  };
}
