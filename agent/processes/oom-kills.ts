import { readFileSync } from "node:fs";
import path from "node:path";

/**
 * The kernel's count of out-of-memory kills: of the given cgroup if it counts them, else of this agent's; undefined if
 * there is none.
 */
export function countOomKills(cgroup?: string): number | undefined {
  const own = cgroup === undefined ? [] : [path.join(cgroup, "memory.events")];
  const groups = read("/proc/self/cgroup");
  for (const file of [...own, ...eventFilesOf(groups), "/proc/vmstat"]) {
    const count = oomKillsIn(read(file));
    if (count !== undefined) return count;
  }
  return undefined;
}

/** The own limits that a cgroup has reached. */
export function reachedBounds(cgroup: string | undefined): { memory: boolean; pids: boolean } {
  if (cgroup === undefined) return { memory: false, pids: false };
  const count = (file: string, name: string): number =>
    Number(new RegExp(`^${name} (\\d+)$`, "m").exec(read(path.join(cgroup, file)))?.[1] ?? 0);
  return { memory: count("memory.events", "oom") > 0, pids: count("pids.events", "max") > 0 };
}

/**
 * The files in which the cgroups of /proc/self/cgroup count them: version 2, then version 1, then a container's view.
 */
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
