import { FairQueue } from "./fair-queue.ts";

type Turns = {
  /** Runs it once it is its turn: one at a time, and the orgs that wait take turns. */
  readonly run: <Result>(orgId: string, act: () => Promise<Result>) => Promise<Result>;
};

/** Turns for something of which there is one; an org with so many, or all with so many, may have no more. */
export function orgTurns(options: {
  readonly patienceMs: number;
  readonly mostOfOrg?: number;
  readonly most?: number;
  readonly refusal: () => Error;
}): Turns {
  const { patienceMs, mostOfOrg = Infinity, most = Infinity, refusal } = options;
  const queue: FairQueue = new FairQueue({
    permits: 1,
    patienceMs,
    tooLate: refusal,
    admit(_, ofOrg) {
      if (ofOrg >= mostOfOrg || queue.held + queue.waiting >= most) throw refusal();
    },
  });
  return {
    async run(orgId, act) {
      const given = queue.take({ orgId, token: orgId }, () => {});
      const release = given instanceof Promise ? await given : given;
      try {
        return await act();
      } finally {
        release();
      }
    },
  };
}
