import type { LookupAddress } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import type { EgressMode } from "./egress-settings.ts";
import { findAddressBlock } from "./find-block.ts";

/** Why a name led to no connection. The address itself is not told: names of internal networks are not everybody's business. */
export class LookupError extends Error {
  override readonly name = "LookupError";
  readonly reason: "dns" | "blocked_address";

  constructor(reason: "dns" | "blocked_address", message: string) {
    super(message);
    this.reason = reason;
  }
}

type ResolveName = (hostname: string) => Promise<readonly string[]>;

/**
 * The lookup of one connection. The addresses that it checks are those that the socket connects to, so a name cannot
 * change between check and connection; one blocked address among them blocks the name.
 */
export function makeVettedLookup(mode: EgressMode, resolve: ResolveName): LookupFunction {
  return (hostname, { all }, callback) => {
    const answer = async (): Promise<void> => {
      const found = await vetted(hostname, mode, resolve).catch((error: Error) => error);
      if (found instanceof Error) return callback(found, []);
      const [first] = found;
      return all === true || first === undefined
        ? callback(null, found)
        : callback(null, first.address, first.family);
    };
    void answer();
  };
}

async function vetted(
  hostname: string,
  mode: EgressMode,
  resolve: ResolveName,
): Promise<LookupAddress[]> {
  const addresses = await resolve(hostname).catch(() => []);
  if (addresses.length === 0) throw new LookupError("dns", `${hostname} does not resolve.`);
  for (const address of addresses) {
    const block = findAddressBlock(address, mode);
    if (block === undefined) continue;
    const detail = `${hostname} has an address to which calls are not allowed: ${block}.`;
    throw new LookupError("blocked_address", detail);
  }
  return addresses.map((address) => ({ address, family: isIP(address) }));
}
