import { readFile } from "node:fs/promises";

/** What a process has used so far, and has in memory now. */
export type ChildUsage = { readonly cpuMs: number; readonly rssBytes: number };

/** A tick of /proc is a hundredth of a second, whatever the kernel's own is. */
const tickMs = 10;

/** What a child process uses; undefined where the system does not tell (it has no /proc), or the process has ended. */
export async function readChildUsage(pid: number): Promise<ChildUsage | undefined> {
  const read = (name: string): Promise<string> => readFile(`/proc/${pid}/${name}`, "utf8");
  try {
    const [stat, status] = await Promise.all([read("stat"), read("status")]);
    // The name in brackets may have spaces: what is counted is behind it.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const ticks = Number(fields[11]) + Number(fields[12]);
    const kibibytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0);
    return { cpuMs: ticks * tickMs, rssBytes: kibibytes * 1024 };
  } catch {
    return undefined;
  }
}
