import { readdir, readFile } from "node:fs/promises";
import { type ProcessIdentity, readStat } from "../processes/process-identity.ts";

/** The variable that says which management process started an agent, and in which release. Jobs do not get it. */
export const managedBy = "SVC_AGENT_MANAGED_BY";

/** An agent that a management process has started. */
export type Managed = ProcessIdentity & { readonly release: string };

/**
 * Finds the agent that an earlier process of the same owner started with these arguments, the oldest if there are more. It
 * has to be of this process's own user: any other user could name a process so.
 */
export async function findManaged(
  owner: string,
  args: readonly string[],
): Promise<Managed | undefined> {
  const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(pids.map(async (pid) => await managedAt(pid, owner, args)));
  const all = found.filter((one) => one !== undefined);
  return all.sort((a, b) => Number(a.startTime) - Number(b.startTime))[0];
}

async function managedAt(
  pid: string,
  owner: string,
  args: readonly string[],
): Promise<Managed | undefined> {
  try {
    if (!isOwn(await readFile(`/proc/${pid}/status`, "utf8"))) return undefined;
    const line = (await readFile(`/proc/${pid}/cmdline`, "utf8")).split("\0").slice(0, -1);
    // What the agent itself starts may have the mark, too.
    if (line.slice(-args.length).join("\0") !== args.join("\0")) return undefined;
    const variables = (await readFile(`/proc/${pid}/environ`, "utf8")).split("\0");
    const mark = variables.find((one) => one.startsWith(`${managedBy}=${owner}:`));
    const stat = readStat(Number(pid));
    if (mark === undefined || stat === undefined) return undefined;
    const { startTime } = stat;
    return { pid: Number(pid), startTime, release: mark.slice(mark.indexOf(":") + 1) };
  } catch {
    return undefined; // it has ended meanwhile, or is another user's
  }
}

/**
 * Whether all user ids of a process, the real one and those that it acts and reads as, are this process's. The owner of its
 * folder in /proc does not say that: it is root where a process hides its memory.
 */
function isOwn(status: string): boolean {
  const ids = /^Uid:\s+(.+)$/m.exec(status)?.[1]?.split(/\s+/) ?? [];
  return ids.length > 0 && ids.every((id) => Number(id) === process.geteuid?.());
}
