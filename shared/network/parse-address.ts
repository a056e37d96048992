import { isIP } from "node:net";

/** An IP address as a number. */
export type Address = { readonly family: 4 | 6; readonly value: bigint };

/** A network: its first address, and how many bits of an address say which of it. */
export type Range = { readonly first: Address; readonly hostBits: bigint };

/** Reads a network in CIDR form (`10.0.0.0/8`); undefined for anything else. */
export function parseNetwork(text: string): Range | undefined {
  const [, host = "", prefix = ""] = /^([^/%]+)\/(\d{1,3})$/.exec(text) ?? [];
  const address = parseAddress(host);
  if (address === undefined) return undefined;
  const bits = address.family === 4 ? 32 : 128;
  if (Number(prefix) > bits) return undefined;
  const hostBits = BigInt(bits - Number(prefix));
  const { family, value } = address;
  return { first: { family, value: (value >> hostBits) << hostBits }, hostBits };
}

/** Reads an IPv4 or IPv6 address in any form that a resolver gives, a zone (`%eth0`) included; undefined for anything else. */
export function parseAddress(text: string): Address | undefined {
  const family = isIP(text);
  if (family === 4) return { family, value: parseV4(text) };
  if (family === 6) return { family, value: parseV6(text.replace(/%.*$/, "")) };
  return undefined;
}

function parseV4(text: string): bigint {
  return text.split(".").reduce((value, part) => value * 256n + BigInt(part), 0n);
}

/** The last two groups may be written as an IPv4 address; `::` stands for as many zeros as are missing. */
function parseV6(text: string): bigint {
  const inGroups = text.replace(/\d+(?:\.\d+){3}$/, inHex);
  const [left = "", right = ""] = inGroups.split("::");
  const [before, after] = [groupsOf(left), groupsOf(right)];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  return [...before, ...zeros, ...after].reduce(
    (value, group) => value * 65_536n + BigInt(`0x${group}`),
    0n,
  );
}

function inHex(v4: string): string {
  const value = parseV4(v4);
  return `${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`;
}

function groupsOf(side: string): string[] {
  return side === "" ? [] : side.split(":");
}
