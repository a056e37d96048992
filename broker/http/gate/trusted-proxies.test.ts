import type { IncomingMessage } from "node:http";
import { describe, expect, test } from "vitest";
import { trustProxies } from "./trusted-proxies.ts";

/** All that is read of a request here. */
const from = (remoteAddress: string, headers: Record<string, string> = {}) =>
  ({ socket: { remoteAddress }, headers }) as unknown as IncomingMessage;

describe("a request's origin", () => {
  const find = trustProxies(["10.0.0.0/8", "fd00::/8", "192.0.2.7"]);

  test.each([
    ["its peer, without proxies", "203.0.113.5", undefined, "203.0.113.5"],
    [
      "its peer, when that is no trusted proxy, whatever it claims",
      "203.0.113.5",
      "198.51.100.1",
      "203.0.113.5",
    ],
    ["what a trusted proxy saw", "10.1.2.3", "198.51.100.1", "198.51.100.1"],
    [
      "the last hop that is not ours",
      "10.1.2.3",
      "1.1.1.1, 198.51.100.1, 192.0.2.7",
      "198.51.100.1",
    ],
    ["the farthest proxy, when all are ours", "10.1.2.3", "10.9.9.9", "10.9.9.9"],
    ["its peer, when the hops are no addresses", "10.1.2.3", "unknown, _hidden", "10.1.2.3"],
    [
      "the same in IPv6, and in IPv4 written as IPv6",
      "::ffff:10.1.2.3",
      "2001:db8::1",
      "2001:db8::1",
    ],
  ])("is %s", (_, peer, forwarded, address) => {
    const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
    expect(find(from(peer, headers)).address).toBe(address);
  });

  test("is of HTTPS when a trusted proxy says so", () => {
    const headers = { "x-forwarded-for": "198.51.100.1", "x-forwarded-proto": "https" };
    expect(find(from("10.1.2.3", headers)).isHttps).toBe(true);
    expect(find(from("203.0.113.5", headers)).isHttps).toBe(false);
  });

  test.each(["10.0.0.0/33", "example.com", "::1/129", "10.0.0.0/x"])(
    "cannot be trusted to %s",
    (network) => {
      expect(() => trustProxies([network])).toThrow(network);
    },
  );
});
