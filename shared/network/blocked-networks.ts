/** A network that no call may reach. `metadata` rows are blocked in the mode `internal`, too, the others in `strict` alone. */
export type BlockedNetwork = {
  readonly network: string;
  readonly reason: string;
  readonly isMetadata?: true;
};

/**
 * The networks in which calls for orgs have no business: IANA's special-purpose registries, and where clouds keep the
 * credentials of a machine. The first row that holds an address gives the reason.
 */
export const blockedNetworks: readonly BlockedNetwork[] = [
  { network: "169.254.0.0/16", reason: "link-local, with cloud metadata", isMetadata: true },
  { network: "fe80::/10", reason: "link-local, with cloud metadata", isMetadata: true },
  { network: "168.63.129.16/32", reason: "cloud metadata of Azure", isMetadata: true },
  { network: "100.100.100.200/32", reason: "cloud metadata of Alibaba Cloud", isMetadata: true },
  { network: "192.0.0.192/32", reason: "cloud metadata of Oracle Cloud", isMetadata: true },
  { network: "fd00:ec2::/32", reason: "cloud metadata of AWS", isMetadata: true },
  { network: "fd20:ce::254/128", reason: "cloud metadata of Google Cloud", isMetadata: true },

  { network: "0.0.0.0/8", reason: "this host" },
  { network: "10.0.0.0/8", reason: "private network" },
  { network: "100.64.0.0/10", reason: "carrier-grade NAT" },
  { network: "127.0.0.0/8", reason: "loopback" },
  { network: "172.16.0.0/12", reason: "private network" },
  { network: "192.0.0.0/24", reason: "reserved for protocols" },
  { network: "192.0.2.0/24", reason: "documentation" },
  { network: "192.88.99.0/24", reason: "6to4 relay" },
  { network: "192.168.0.0/16", reason: "private network" },
  { network: "198.18.0.0/15", reason: "benchmarks" },
  { network: "198.51.100.0/24", reason: "documentation" },
  { network: "203.0.113.0/24", reason: "documentation" },
  { network: "224.0.0.0/4", reason: "multicast" },
  { network: "240.0.0.0/4", reason: "reserved, with broadcast" },

  { network: "::/128", reason: "this host" },
  { network: "::1/128", reason: "loopback" },
  { network: "fc00::/7", reason: "private network" },
  { network: "fec0::/10", reason: "private network" },
  { network: "ff00::/8", reason: "multicast" },
  { network: "2001::/32", reason: "Teredo tunnel" },
  { network: "2001::/23", reason: "reserved for protocols" },
  { network: "2001:db8::/32", reason: "documentation" },
  { network: "2002::/16", reason: "6to4 tunnel" },
  { network: "3fff::/20", reason: "documentation" },
  // Public IPv6 is 2000::/3; whatever else will be assigned is not public before somebody looks at it.
  { network: "::/3", reason: "not public" },
  { network: "4000::/2", reason: "not public" },
  { network: "8000::/1", reason: "not public" },
];

/**
 * IPv6 networks whose addresses stand for an IPv4 address, which is `shift` bits from the end, perhaps inverted. A network
 * that has several rows can be read in each of these ways.
 */
export type CarrierNetwork = {
  readonly network: string;
  readonly shift: number;
  readonly isInverted?: true;
  /** Bits 64 to 71 are no part of it, nor counted by `shift`: RFC 6052, where a prefix is shorter than 96 bits. */
  readonly isParted?: true;
  /** Only the IPv4 address counts: these lead to public hosts, too. */
  readonly isTransparent?: true;
};

/** The ways to write an IPv4 address as an IPv6 address. */
export const carrierNetworks: readonly CarrierNetwork[] = [
  { network: "::ffff:0:0/96", shift: 0, isTransparent: true }, // IPv4-mapped
  { network: "64:ff9b::/96", shift: 0, isTransparent: true }, // NAT64: how a host without IPv4 reaches the public one
  // A NAT64 of one's own (RFC 8215), whose prefix is as long as its operator likes: 96, 48, 56 or 64 bits.
  { network: "64:ff9b:1::/48", shift: 0 },
  { network: "64:ff9b:1::/48", shift: 40, isParted: true },
  { network: "64:ff9b:1::/48", shift: 32, isParted: true },
  { network: "64:ff9b:1::/48", shift: 24, isParted: true },
  { network: "::ffff:0:0:0/96", shift: 0 }, // IPv4-translated
  { network: "::/96", shift: 0 }, // IPv4-compatible
  { network: "2002::/16", shift: 80 }, // 6to4
  { network: "2001::/32", shift: 0, isInverted: true }, // Teredo: the client's
];

/** Names of cloud metadata, blocked in `internal`, too: the address would be, but a name can be refused before it is resolved. */
export const metadataNames: ReadonlySet<string> = new Set([
  "metadata",
  "metadata.goog",
  "metadata.google.internal",
  "metadata.azure.internal",
  "metadata.tencentyun.com",
  "instance-data",
  "instance-data.ec2.internal",
]);
