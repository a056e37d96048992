import type { Broker } from "../../broker.ts";
import type { AppContext } from "../app-types.ts";
import { trustProxies } from "../gate/trusted-proxies.ts";
import { addressKey } from "./address-key.ts";
import { createBuckets } from "./rate-limit.ts";

/** Counts a request of its client's address; 429 when the address sends too many. For routes without a token. */
export function limitByAddress(broker: Broker, perS: number): (c: AppContext) => void {
  const findOrigin = trustProxies(broker.config.trustedProxies);
  const take = createBuckets("address", perS);
  return (c) => {
    const { incoming } = c.env ?? {};
    if (incoming !== undefined) take(addressKey(findOrigin(incoming).address));
  };
}
