import { BlockList, isIPv4 } from "node:net";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { blockedNetworks } from "./blocked-networks.ts";
import { findAddressBlock, findHostBlock, holdsMetadata } from "./find-block.ts";
import { parseNetwork, type Range } from "./parse-address.ts";

const metadata = [
  "169.254.169.254",
  "169.254.170.2",
  "169.254.0.1",
  "168.63.129.16",
  "100.100.100.200",
  "192.0.0.192",
  "fe80::1",
  "fe80::a9fe:a9fe%eth0",
  "fd00:ec2::254",
  "fd00:ec2::23",
  "fd20:ce::254",
  "::ffff:169.254.169.254",
  "::ffff:a9fe:a9fe",
  "::169.254.169.254",
  "::ffff:0:169.254.169.254",
  "64:ff9b::169.254.169.254",
  "64:ff9b:1::a9fe:a9fe",
  "64:ff9b:1:a9fe:a9:fe00::", // RFC 6052 with a prefix of 48 bits
  "64:ff9b:1:a9fe:ffa9:fe01:2:3", // whatever the bits are that it leaves free
  "64:ff9b:1:12a9:fe:a9fe::", // 56 bits
  "64:ff9b:1:1234:a9:fea9:fe00::", // 64 bits
  "64:ff9b:1:1234::a9fe:a9fe", // 96 bits, in a part of one's own
  "2002:a9fe:a9fe::1",
  "2001:0:4136:e378:8000:63bf:5601:5601", // Teredo: the client's address inverted
];

const internal = [
  "0.0.0.0",
  "0.1.2.3",
  "10.0.0.1",
  "10.255.255.255",
  "100.64.0.1",
  "100.127.255.255",
  "127.0.0.1",
  "127.255.255.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.1",
  "192.0.2.1",
  "192.88.99.1",
  "192.168.255.255",
  "198.18.0.1",
  "198.19.255.255",
  "198.51.100.7",
  "203.0.113.7",
  "224.0.0.1",
  "239.255.255.255",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "0:0:0:0:0:0:0:1",
  "::127.0.0.1",
  "::ffff:10.0.0.1",
  "::ffff:7f00:1",
  "64:ff9b::10.0.0.1",
  "64:ff9b::7f00:1",
  "64:ff9b:1::1",
  "64:ff9b:1:a00:0:100::",
  "100::1",
  "2001::1",
  "2001:2::1",
  "2001:10::1",
  "2001:db8::1",
  "2002:7f00:1::",
  "2002:808:808::1",
  "3fff::1",
  "4000::1",
  "5f00::1",
  "fc00::1",
  "fdff::1",
  "fec0::1",
  "ff02::1",
  "FD00::1",
];

const publicOnes = [
  "1.1.1.1",
  "8.8.8.8",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "126.255.255.255",
  "128.0.0.0",
  "169.253.255.255",
  "169.255.0.0",
  "172.15.255.255",
  "172.32.0.0",
  "192.167.255.255",
  "192.169.0.0",
  "198.17.255.255",
  "198.20.0.0",
  "223.255.255.255",
  "2000::1",
  "2001:200::1",
  "2606:4700:4700::1111",
  "2a00:1450::1",
  "3ffe::1",
  "::ffff:8.8.8.8",
  "64:ff9b::8.8.8.8",
];

describe("the address rules", () => {
  test.each(metadata)("block %s, of cloud metadata, in both modes", (address) => {
    expect(findAddressBlock(address, "strict")).toBeTypeOf("string");
    expect(findAddressBlock(address, "internal")).toBeTypeOf("string");
    expect(findAddressBlock(address, "off")).toBeUndefined();
  });

  test.each(internal)("block %s in strict mode alone", (address) => {
    expect(findAddressBlock(address, "strict")).toBeTypeOf("string");
    expect(findAddressBlock(address, "internal")).toBeUndefined();
    expect(findAddressBlock(address, "off")).toBeUndefined();
  });

  test.each(publicOnes)("let %s pass", (address) => {
    expect(findAddressBlock(address, "strict")).toBeUndefined();
  });

  test("give the reason of the narrowest row", () => {
    expect(findAddressBlock("10.1.2.3", "strict")).toBe("private network");
    expect(findAddressBlock("::ffff:127.0.0.1", "strict")).toBe("loopback");
    expect(findAddressBlock("::1", "strict")).toBe("loopback");
    expect(findAddressBlock("169.254.169.254", "strict")).toBe("link-local, with cloud metadata");
  });

  test.each([
    ["169.254.0.0/15", true],
    ["0.0.0.0/0", true],
    ["100.64.0.0/10", true],
    ["fe80::/9", true],
    ["fd00::/8", true],
    ["::/0", true],
    ["64:ff9b::/32", true],
    ["::ffff:169.254.0.0/111", true],
    ["::ffff:100.64.0.0/106", true],
    ["10.0.0.0/8", false],
    ["169.252.0.0/15", false],
    ["fc00::/8", false],
    ["::ffff:10.0.0.0/104", false],
  ])("know whether a network holds what is never called: %s, %s", (network, holds) => {
    expect(holdsMetadata(parseNetwork(network) as Range)).toBe(holds); // each is one
  });

  test.each(["", "localhost", "1.2.3", "1.2.3.4.5", "127.1", "::g", "1.2.3.4/8"])(
    "block %j, which is no address",
    (text) => {
      expect(findAddressBlock(text, "strict")).toBe("not an IP address");
      expect(findAddressBlock(text, "internal")).toBe("not an IP address");
    },
  );

  test("agree with Node's own block list on every address", () => {
    const rows = blockedNetworks.map(({ network }) => network.split("/"));
    const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
    for (const [net = "", prefix] of rows) {
      const family = isIPv4(net) ? "ipv4" : "ipv6";
      lists[family].addSubnet(net, Number(prefix), family);
    }
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const isBlocked = lists.ipv4.check(address, "ipv4");
        expect(findAddressBlock(address, "strict") !== undefined).toBe(isBlocked);
        expect(findAddressBlock(`::ffff:${address}`, "strict") !== undefined).toBe(isBlocked);
        expect(findAddressBlock(`64:ff9b::${address}`, "strict") !== undefined).toBe(isBlocked);
      }),
      { numRuns: 2000 },
    );
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const isTransparent = /^(?:0*:)*:?(?:ffff|64:ff9b)/i.test(address);
        fc.pre(!isTransparent);
        const isBlocked = lists.ipv6.check(address, "ipv6");
        expect(findAddressBlock(address, "strict") !== undefined).toBe(isBlocked);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("the name rules", () => {
  test.each(["metadata.google.internal", "Metadata.Google.Internal.", "metadata", "instance-data"])(
    "block %s in both modes",
    (name) => {
      expect(findHostBlock(name, "strict")).toBe("cloud metadata");
      expect(findHostBlock(name, "internal")).toBe("cloud metadata");
      expect(findHostBlock(name, "off")).toBeUndefined();
    },
  );

  test.each(["localhost", "LOCALHOST", "localhost.", "db.localhost", "a.b.localhost.."])(
    "block %s in strict mode alone",
    (name) => {
      expect(findHostBlock(name, "strict")).toBe("loopback");
      expect(findHostBlock(name, "internal")).toBeUndefined();
    },
  );

  test.each(["example.com", "localhost.example.com", "notlocalhost", "metadata.example.com"])(
    "let %s pass, to be judged when it is resolved",
    (name) => expect(findHostBlock(name, "strict")).toBeUndefined(),
  );
});
