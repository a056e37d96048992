import type { CarriedClaim } from "../../shared/api/report-executions.ts";

/** A claim that a finish carries. One of its two ends is told, once. */
export type CarriedPoll = {
  readonly claim: CarriedClaim;
  readonly secret: string;
  readonly mostBytes: number;
  /** What the broker answered it; undefined where it did not, and the claim is to be asked by itself. */
  readonly answered: (body: unknown) => void;
  /** Nobody knows whether the broker has heard it. */
  readonly failed: (error: unknown) => void;
};

/** The claim that is due, which then counts as asked; undefined where none is. */
export type TakePoll = () => Promise<CarriedPoll | undefined>;

type Offer = { readonly take: TakePoll; readonly wake: () => void };

/** Where the loop that claims and the one that delivers results meet: a finish is the next poll, too, in place of one. */
export type NextPoll = {
  /** A finish is about to be sent; returns how to say that it was, or will not be. */
  readonly expect: () => () => void;
  readonly isExpected: () => boolean;
  /** The loop that claims says how its next poll is taken, and how it learns that no finish is expected; undefined when it has ended. */
  readonly offer: (offered: Offer | undefined) => void;
  readonly take: TakePoll;
  /** A first line did not come in time, or with the second: something on the way keeps answers until they are whole. No poll is carried for a while. */
  readonly rest: () => void;
};

const restMs = 10 * 60_000;

/** Nothing is expected or offered yet. */
export function makeNextPoll(): NextPoll {
  let expected = 0;
  let offered: Offer | undefined;
  let restsUntilMs = Number.NEGATIVE_INFINITY;
  const isResting = (): boolean => performance.now() < restsUntilMs;
  return {
    expect() {
      let isOpen = true;
      expected += 1;
      return () => {
        if (!isOpen) return;
        isOpen = false;
        expected -= 1;
        offered?.wake();
      };
    },
    isExpected: () => expected > 0 && !isResting(),
    offer: (given) => void (offered = given),
    take: async () => (isResting() ? undefined : await offered?.take()),
    rest: () => void (restsUntilMs = performance.now() + restMs),
  };
}
