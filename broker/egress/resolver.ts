import { lookup, Resolver } from "node:dns/promises";
import { makeLimiter } from "../database/limiter.ts";
import type { EgressRules } from "./egress-rules.ts";
import { isNamed } from "./opened-receivers.ts";

/** All addresses of a name; none, or an error, when it does not resolve. The signal tells that nobody needs them any more. */
export type Resolve = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>;

/**
 * In `strict` mode names are public: DNS alone is asked, so that neither a hosts file nor a search domain makes a public
 * name an internal one, at these servers or those of the system. Otherwise the operating system resolves them, and so it does
 * those that the operator opened by name: he means what they are on his machine.
 */
export function makeResolver(
  { mode, opened }: EgressRules,
  nameServers?: readonly string[],
): Resolve {
  const bySystem = askSystem();
  if (mode !== "strict") return bySystem;
  const byDns = askDns(nameServers);
  return (hostname, signal) =>
    isNamed(opened, hostname) ? bySystem(hostname, signal) : byDns(hostname, signal);
}

/** It holds none of Node's threads, however long a name's server keeps silent. */
function askDns(nameServers: readonly string[] | undefined): Resolve {
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  if (nameServers !== undefined) resolver.setServers(nameServers);
  return async (hostname) => {
    const answers = await Promise.allSettled([
      resolver.resolve4(hostname),
      resolver.resolve6(hostname),
    ]);
    return answers.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
  };
}

/**
 * The system's resolver blocks one of the four threads that all of Node's files and compression share, for as long as a
 * name's server keeps silent: half of them stay free.
 */
function askSystem(): Resolve {
  const limiter = makeLimiter(2);
  return async (hostname, signal) => {
    const found = await limiter(async () =>
      signal.aborted ? [] : lookup(hostname, { all: true }),
    );
    return found.map(({ address }) => address);
  };
}
