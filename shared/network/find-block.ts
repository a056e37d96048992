import { blockedNetworks, carrierNetworks, metadataNames } from "./blocked-networks.ts";
import type { EgressMode } from "./egress-mode.ts";
import { type Address, parseAddress, parseNetwork, type Range } from "./parse-address.ts";

const blocked = blockedNetworks.map((row) => ({ ...row, ...rangeOf(row.network) }));
const carriers = carrierNetworks.map((row) => ({ ...row, ...rangeOf(row.network) }));

/**
 * Why no call may go to this host of a URL, in a few words; undefined when it may, as far as that can be told without
 * resolving it: a name that is allowed here may still resolve to an address that is not.
 */
export function findHostBlock(hostname: string, mode: EgressMode): string | undefined {
  if (mode === "off") return undefined;
  const host = hostname.replace(/^\[|\]$/g, "");
  if (parseAddress(host) !== undefined) return findAddressBlock(host, mode);
  const name = host.toLowerCase().replace(/\.+$/, "");
  if (metadataNames.has(name)) return "cloud metadata";
  const isLocal = name === "localhost" || name.endsWith(".localhost");
  return isLocal && mode === "strict" ? "loopback" : undefined;
}

/** Why no call may go to this IP address, in a few words; undefined when it may. What is no address is blocked. */
export function findAddressBlock(given: string | Address, mode: EgressMode): string | undefined {
  if (mode === "off") return undefined;
  const address = typeof given === "string" ? parseAddress(given) : given;
  return address === undefined ? "not an IP address" : findBlock(address, mode);
}

/** The IPv4 address that is called by an IPv6 address which is but another way to write it; else the address itself. */
export function standsFor(address: Address): Address {
  const carrier = carriers.find((row) => row.isTransparent === true && isIn(address, row));
  return carrier === undefined ? address : carriedBy(address, carrier);
}

/** Whether the network holds the address. */
export function isIn({ family, value }: Address, { first, hostBits }: Range): boolean {
  return family === first.family && value >> hostBits === first.value >> hostBits;
}

/** Whether addresses of the network are never called, however it is opened; the others of it may be. */
export function holdsMetadata({ first, hostBits }: Range): boolean {
  const isWithin = (row: Range): boolean =>
    row.hostBits <= hostBits && isIn(row.first, { first, hostBits });
  if (blocked.some((row) => row.isMetadata === true && isWithin(row))) return true;
  if (carriers.some(isWithin)) return true;
  const carrier = carriers.find((row) => row.shift === 0 && isIn(first, row));
  return carrier !== undefined && holdsMetadata({ first: carriedBy(first, carrier), hostBits });
}

function findBlock(address: Address, mode: EgressMode): string | undefined {
  const ways = carriers.filter((row) => isIn(address, row));
  const isOther = ways.some((row) => row.isTransparent === true);
  const own = isOther ? undefined : findOwnBlock(address, mode);
  if (own !== undefined) return own;
  for (const way of ways) {
    const block = findOwnBlock(carriedBy(address, way), mode);
    if (block !== undefined) return block;
  }
  return undefined;
}

function findOwnBlock(address: Address, mode: EgressMode): string | undefined {
  return blocked.find((row) => (mode === "strict" || row.isMetadata === true) && isIn(address, row))
    ?.reason;
}

function carriedBy({ value }: Address, carrier: (typeof carriers)[number]): Address {
  const { shift, isInverted, isParted } = carrier;
  const whole = isParted ? ((value >> 64n) << 56n) | BigInt.asUintN(56, value) : value;
  const carried = BigInt.asUintN(32, whole >> BigInt(shift));
  return { family: 4, value: isInverted ? BigInt.asUintN(32, ~carried) : carried };
}

function rangeOf(network: string): Range {
  const range = parseNetwork(network);
  if (range === undefined) throw new Error(`${network} is not a network`);
  return range;
}
