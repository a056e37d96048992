import { readFileSync } from "node:fs";

/** How many processes of this agent's cgroup the kernel has killed for want of memory; nothing if it does not say. */
export function countOomKills(): number | undefined {
  const groups = read("/proc/self/cgroup");
  for (const file of [...eventFilesOf(groups), "/proc/vmstat"]) {
    const count = oomKillsIn(read(file));
    if (count !== undefined) return count;
  }
  return undefined;
}

/** Where the cgroups named in /proc/self/cgroup count such kills: version 2, then version 1, then a container's view of it. */
export function eventFilesOf(groups: string): string[] {
  const second = /^0::(.+)$/m.exec(groups)?.[1];
  const first = /^\d+:(?:[^:]*,)?memory(?:,[^:]*)?:(.+)$/m.exec(groups)?.[1];
  return [
    ...(second === undefined ? [] : [`/sys/fs/cgroup${second}/memory.events`]),
    ...(first === undefined
      ? []
      : [
          `/sys/fs/cgroup/memory${first}/memory.oom_control`,
          "/sys/fs/cgroup/memory/memory.oom_control",
        ]),
  ];
}

/** The count in memory.events, memory.oom_control or vmstat. */
export function oomKillsIn(text: string): number | undefined {
  const count = /^oom_kill (\d+)$/m.exec(text)?.[1];
  return count === undefined ? undefined : Number(count);
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
