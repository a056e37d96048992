import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { networkInterfaces } from "node:os";
import type { Readable } from "node:stream";
import { blockedNetworks } from "../../shared/network/blocked-networks.ts";
import { findProgram } from "../processes/find-program.ts";

/** A network for what a build runs, or why there is none. */
export type BuildNetwork = { readonly close: () => void } | { readonly missing: string };

/**
 * Gives the namespace of a process a network that leads to the outside by this process's own connections, until it is
 * closed. Which addresses it does not lead to is for `blockedRoutes`.
 */
export async function openNetwork(pid: number, path: string): Promise<BuildNetwork> {
  for (const program of ["slirp4netns", "ip"]) {
    const found = await findProgram(program, { cwd: "/", search: path });
    if (found === undefined) return { missing: `${program} is not installed` };
  }
  if (!existsSync("/dev/net/tun")) return { missing: "/dev/net/tun is not there" };
  const how = ["--configure", "--disable-host-loopback", "--enable-sandbox", "--enable-seccomp"];
  // It goes when the other end of descriptor 4 is closed, as it is with this process.
  const child = spawn(
    "slirp4netns",
    [...how, "--mtu=1500", "--ready-fd=3", "--exit-fd=4", `${pid}`, "tap0"],
    { cwd: "/", env: { PATH: path }, stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] },
  );
  const ended = Promise.withResolvers<"ended">();
  child.once("error", () => ended.resolve("ended"));
  child.once("exit", () => ended.resolve("ended"));
  const ready = child.stdio[3] as Readable; // it is a pipe, as said above
  const isReady = once(ready, "data").then(() => "ready" as const);
  isReady.catch(() => {}); // then it has ended
  if ((await Promise.race([isReady, ended.promise])) === "ended")
    return { missing: "slirp4netns does not start" };
  return { close: () => void child.kill("SIGKILL") };
}

/**
 * Networks that nothing of a build reaches: those of no business of anybody's, with metadata and private ones, and each
 * address of this host. There is no IPv6.
 */
export function blockedRoutes(): string[] {
  const networks = blockedNetworks.map(({ network }) => network);
  const own = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .map(({ address }) => `${address}/32`);
  return [...new Set([...networks, ...own].filter(isOther))];
}

const isOther = (network: string): boolean => !network.includes(":") && !network.startsWith("127.");
