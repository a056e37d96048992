import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";
import { OperatorError } from "../../../shared/operator-error.ts";

/** Where a request really comes from: X-Forwarded-* count only when the peer is one of the trusted proxies. */
export type Origin = { readonly address: string; readonly isHttps: boolean };
export type FindOrigin = (incoming: IncomingMessage) => Origin;

/** Tells whether a peer's address is that of a trusted proxy. */
export function recogniseProxies(networks: readonly string[]): (address: string) => boolean {
  const trusted = readNetworks(networks);
  return (address) => includes(trusted, plain(address));
}

/** Parses the trusted addresses and networks; an OperatorError names an invalid one. */
export function trustProxies(networks: readonly string[]): FindOrigin {
  const trusted = readNetworks(networks);
  return (incoming) => {
    const peer = plain(incoming.socket.remoteAddress ?? "");
    const isHttps = "encrypted" in incoming.socket;
    if (networks.length === 0 || !includes(trusted, peer)) return { address: peer, isHttps };
    const proto = String(incoming.headers["x-forwarded-proto"] ?? "");
    return {
      address: firstUntrusted(trusted, incoming, peer),
      isHttps: proto === "" ? isHttps : proto.split(",")[0]?.trim() === "https",
    };
  };
}

function readNetworks(networks: readonly string[]): BlockList {
  const trusted = new BlockList();
  for (const network of networks) addNetwork(trusted, network);
  return trusted;
}

function addNetwork(trusted: BlockList, network: string): void {
  const [address = "", bits] = network.split("/");
  const family = isIP(address);
  const most = family === 6 ? 128 : 32;
  const prefix = bits === undefined ? most : Number(bits);
  if (family === 0 || !Number.isInteger(prefix) || prefix < 0 || prefix > most) {
    throw new OperatorError(
      `SVC_TRUSTED_PROXIES contains ${network}, which is not an IP address or network.`,
    );
  }
  trusted.addSubnet(address, prefix, family === 6 ? "ipv6" : "ipv4");
}

/** From the right: each hop was written by the proxy after it; the first that is not trusted is the client. */
function firstUntrusted(trusted: BlockList, incoming: IncomingMessage, peer: string): string {
  const hops = String(incoming.headers["x-forwarded-for"] ?? "")
    .split(",")
    .map((hop) => plain(hop.trim()))
    .filter((hop) => isIP(hop) !== 0);
  return hops.findLast((hop) => !includes(trusted, hop)) ?? hops[0] ?? peer;
}

function includes(trusted: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && trusted.check(address, family === 6 ? "ipv6" : "ipv4");
}

function plain(address: string): string {
  return address.startsWith("::ffff:") && isIP(address.slice(7)) === 4 ? address.slice(7) : address;
}
