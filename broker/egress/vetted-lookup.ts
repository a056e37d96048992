import type { LookupAddress } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { blockedName } from "./check-url.ts";
import { type EgressRules, findNameBlock } from "./egress-rules.ts";

/** Why a name led to no connection. */
export class LookupError extends Error {
  override readonly name = "LookupError";
  readonly reason: "dns" | "blocked_address";

  constructor(reason: "dns" | "blocked_address", message: string) {
    super(message);
    this.reason = reason;
  }
}

type Parts = {
  readonly rules: EgressRules;
  /** Of the URL that is called. */
  readonly port: number;
  readonly resolve: (hostname: string) => Promise<readonly string[]>;
};

/**
 * The lookup of one connection. The addresses that it checks are those that the socket connects to, so a name cannot
 * change between check and connection; one blocked address among them blocks the name.
 */
export function makeVettedLookup(parts: Parts): LookupFunction {
  return (hostname, { all }, callback) => {
    const answer = async (): Promise<void> => {
      const found = await vetted(hostname, parts).catch((error: Error) => error);
      if (found instanceof Error) return callback(found, []);
      const [first] = found;
      return all === true || first === undefined
        ? callback(null, found)
        : callback(null, first.address, first.family);
    };
    void answer();
  };
}

async function vetted(hostname: string, { rules, port, resolve }: Parts): Promise<LookupAddress[]> {
  const addresses = await resolve(hostname).catch(() => []);
  if (addresses.length === 0) throw new LookupError("dns", `${hostname} does not resolve.`);
  const block = findNameBlock(rules, { hostname, port }, addresses);
  if (block !== undefined) throw new LookupError("blocked_address", blockedName(hostname, block));
  return addresses.map((address) => ({ address, family: isIP(address) }));
}
