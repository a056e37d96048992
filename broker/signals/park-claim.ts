import { problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import type { ClaimRequest } from "./claim-signals.ts";
import type { ClaimAnswer, ParkedClaim } from "./parked-claims.ts";

const mostClaims = 25_000;

type Parking = {
  readonly claim: ClaimRequest;
  readonly waitMs: number;
  /** Aborts when the client is gone: the claim leaves at once and never gets a signal. */
  readonly signal: AbortSignal;
};

/**
 * Parks a claim of a queue of its org until there is an answer for it; 429 when its queue or org has as many as it may. One that
 * repeats a parked claim takes its place.
 */
export function parkClaim(
  { signalClaims, limits }: Pick<Broker, "signalClaims" | "limits">,
  { claim, waitMs: ms, signal }: Parking,
): Promise<ClaimAnswer> {
  if (signalClaims.isDraining()) return Promise.resolve({ kind: "draining" });
  const { dispatcher } = signalClaims;
  const { parked } = dispatcher;
  dispatcher.endOlder(claim);
  const retryAfterS = 1 + Math.ceil(Math.random() * 5);
  if (limits.isReached("claims_of_queue", parked.countOfQueue(claim.queueId))) {
    throw limits.refusal("claims_of_queue", retryAfterS);
  }
  if (limits.isReached("claims_of_org", parked.countOfOrg(claim.orgId))) {
    throw limits.refusal("claims_of_org", retryAfterS);
  }
  if (parked.size >= mostClaims) {
    throw problem.unavailable(
      "This broker has reached its limit of parked claims. Try again later.",
      retryAfterS,
    );
  }
  return new Promise((resolve) => {
    const parkedClaim: ParkedClaim = { ...claim, settle };
    const timer = setTimeout(() => dispatcher.expire(parkedClaim), ms);
    const onAbort = (): void => {
      if (parked.leave(parkedClaim)) settle({ kind: "empty" });
    };
    signal.addEventListener("abort", onAbort);
    if (signal.aborted) return settle({ kind: "empty" });
    dispatcher.park(parkedClaim);

    function settle(answer: ClaimAnswer): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      resolve(answer);
    }
  });
}
