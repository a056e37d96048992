import type { IncomingMessage } from "node:http";
import type { Limits } from "../../limits/limits.ts";
import type { Guesses } from "../../tokens/authenticator.ts";
import { trustProxies } from "../gate/trusted-proxies.ts";
import { addressKey } from "./address-key.ts";
import { createLateBuckets } from "./rate-limit.ts";

/** Charges the look-up of an uncached token to the address that sends it. */
export type LimitGuesses = (incoming: IncomingMessage | undefined) => Guesses | undefined;

/**
 * Lets an address try a number of unknown tokens a second. A valid token costs nothing, and a cached one is
 * never a guess, so other clients behind the same address are not affected.
 */
export function limitGuesses(
  { trustedProxies, perS }: { readonly trustedProxies: readonly string[]; readonly perS: number },
  limits: Limits,
): LimitGuesses {
  const findOrigin = trustProxies(trustedProxies);
  const buckets = createLateBuckets(perS);
  return (incoming) => {
    if (incoming === undefined) return undefined;
    return {
      admit() {
        const waitS = buckets.waitS(addressKey(findOrigin(incoming).address));
        if (waitS > 0) throw limits.refusal("guesses_of_address", waitS);
      },
      note: () => buckets.charge(addressKey(findOrigin(incoming).address)),
    };
  };
}
