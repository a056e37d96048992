import { Problem } from "../../shared/problem.ts";
import type { Metrics } from "../metrics.ts";
import { FairQueue, type PermitOwner } from "./fair-queue.ts";
import type { Limits } from "./limits.ts";

/** Callers without a token share the permits of one org. */
export const anybody: PermitOwner = { orgId: "", token: "" };

/** Permits in front of the pool: a request with a permit runs its statements without waiting for a connection. */
export type Permits = {
  readonly take: FairQueue["take"];
  /** Runs it with a permit. Never nest: a request that holds one and waits for a second may wait for itself. */
  readonly run: <Result>(owner: PermitOwner, act: () => Promise<Result>) => Promise<Result>;
};

/** Runs it with a permit of the request's owner. */
export type WithPermit = <Result>(act: () => Promise<Result>) => Promise<Result>;

const patienceMs = 10_000;

/** One permit less than there are connections: the last one is for the broker's own work. */
export function makePermits(connections: number, limits: Limits, metrics: Metrics): Permits {
  const queue = new FairQueue({
    permits: Math.max(1, connections - 1),
    patienceMs,
    tooLate: keptWaiting,
    admit(token, org) {
      if (limits.isReached("requests_of_token", token)) throw limits.refusal("requests_of_token");
      if (limits.isReached("requests_of_org", org)) throw limits.refusal("requests_of_org");
    },
  });
  metrics.gauge("svc_requests_seated", "Permits for the database in use.", () => queue.held);
  metrics.gauge("svc_requests_waiting", "Requests that wait for a permit.", () => queue.waiting);
  return {
    take: (owner, onLeave) => queue.take(owner, onLeave),
    async run(owner, act) {
      const given = queue.take(owner, () => {});
      const release = given instanceof Promise ? await given : given;
      try {
        return await act();
      } finally {
        release();
      }
    },
  };
}

function keptWaiting(): Problem {
  return new Problem({
    status: 429,
    code: "busy",
    detail: `Timed out after ${patienceMs / 1000} s behind other requests of this org. Send fewer at once.`,
    headers: { "retry-after": "2" },
  });
}
