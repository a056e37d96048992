import {
  findAddressBlock,
  findHostBlock,
  isIn,
  standsFor,
} from "../../shared/network/find-block.ts";
import {
  type Address,
  parseAddress,
  parseNetwork,
  type Range,
} from "../../shared/network/parse-address.ts";

/** What an operator opens besides what the mode does: addresses, at one port or at all, or a host's name at a port. */
export type OpenedReceiver =
  | { readonly range: Range; readonly port?: number }
  | { readonly name: string; readonly port: number };

/** A list of them, or the place and the fault of the first entry that is none. */
export type OpenedReading =
  | readonly OpenedReceiver[]
  | { readonly entry: number; readonly fault: "form" | "never" };

/**
 * Reads networks (`10.1.0.0/16`) and hosts with their port (`hooks.internal:8443`, `[fd12::1]:443`). An entry that lies in link-local
 * networks or those of cloud metadata is a fault: these are never opened.
 */
export function readOpened(entries: readonly string[]): OpenedReading {
  const opened: OpenedReceiver[] = [];
  for (const [at, text] of entries.entries()) {
    const one = readEntry(text);
    if (typeof one === "string") return { entry: at + 1, fault: one };
    opened.push(one);
  }
  return opened;
}

/** Whether the operator opened this host of a URL at this port, by its name or its address. */
export function isOpened(
  opened: readonly OpenedReceiver[],
  hostname: string,
  port: number,
): boolean {
  if (opened.length === 0) return false;
  const host = plainHost(hostname);
  const address = parseAddress(host);
  if (address === undefined) {
    return opened.some((one) => "name" in one && one.name === host && one.port === port);
  }
  const meant = standsFor(address);
  const holds = (one: OpenedReceiver): boolean =>
    "range" in one && (isIn(address, one.range) || isIn(meant, one.range));
  return opened.some((one) => holds(one) && (one.port ?? port) === port);
}

/** Whether the operator named this host, at whatever port. */
export function isNamed(opened: readonly OpenedReceiver[], hostname: string): boolean {
  const host = plainHost(hostname);
  return opened.some((one) => "name" in one && one.name === host);
}

function readEntry(text: string): OpenedReceiver | "form" | "never" {
  const range = parseNetwork(text);
  if (range !== undefined) return isNever(range) ? "never" : { range };
  const [, host = "", digits = ""] =
    /^([^\s/?#*@:[\]]+|\[[\d.:a-f]+\]):(\d{1,5})$/i.exec(text) ?? [];
  const port = Number(digits);
  if (host === "" || port < 1 || port > 65_535 || !URL.canParse(`http://${host}`)) return "form";
  const { hostname } = new URL(`http://${host}`);
  if (findHostBlock(hostname, "internal") !== undefined) return "never";
  const name = plainHost(hostname);
  const address = parseAddress(name);
  return address === undefined ? { name, port } : { range: rangeOfOne(address), port };
}

/** Whether nothing of the network may be opened. Of a larger one the rest may; each call is judged by its own address. */
function isNever({ first, hostBits }: Range): boolean {
  const last = { family: first.family, value: first.value | ((1n << hostBits) - 1n) };
  const [start, end] = [first, last].map((one) => findAddressBlock(one, "internal"));
  return start !== undefined && start === end;
}

const rangeOfOne = (first: Address): Range => ({ first, hostBits: 0n });

/** As one host is always written: without brackets and a last dot, in lower case. */
const plainHost = (hostname: string): string =>
  hostname
    .replaceAll(/^\[|\]$/g, "")
    .toLowerCase()
    .replace(/\.+$/, "");
