import dns from "node:dns";
import { Resolver } from "node:dns/promises";

/** What DNS says of a name: its name servers, or why there are none. */
export type NameServers = { readonly names: readonly string[] } | { readonly why: Why };
/** `unknown`: there is no such name; `none`: it has none of its own; `silent`: nobody could tell. */
type Why = "unknown" | "none" | "silent";

const bounds = { timeout: 2000, tries: 2 };

/** The name servers of a name, as the DNS servers of this machine say; for some seconds at most. No connection is made to any of them. */
export async function nameServersOf(domain: string): Promise<NameServers> {
  const resolver = new Resolver(bounds);
  resolver.setServers(dns.getServers()); // a name imported by itself keeps what was there first
  try {
    return { names: await resolver.resolveNs(domain) };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "";
    return { why: whys[code] ?? "silent" };
  }
}

const whys: Readonly<Record<string, Why>> = { ENOTFOUND: "unknown", ENODATA: "none" };
