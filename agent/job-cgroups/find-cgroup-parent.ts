import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

/** Where cgroups of jobs may be made. */
export type CgroupParent = {
  /** The cgroup that they are to be below. */
  readonly parent: string;
  /** Whether they can have bounds there: nothing runs in the parent itself, or it is the kernel's first one. */
  readonly mayBound: boolean;
};

/** What the unit calls the agent's own cgroup (DelegateSubgroup): those of jobs are then beside it. */
const subgroup = "agent";

/** The place that this process's own cgroup gives to those of jobs; words where there is none. */
export function findCgroupParent(): CgroupParent | { readonly words: string } {
  const own = ownCgroup(read("/proc/self/mountinfo"), read("/proc/self/cgroup"));
  if (own === undefined || !existsSync(path.join(own, "cgroup.procs"))) {
    return { words: "the agent sees no cgroup of version 2 on this host" };
  }
  const parent = path.basename(own) === subgroup ? path.dirname(own) : own;
  // The first cgroup of all has no type, and bounds others whatever runs in it.
  const isFirst = !existsSync(path.join(parent, "cgroup.type"));
  return { parent, mayBound: isFirst || read(path.join(parent, "cgroup.procs")) === "" };
}

/** The cgroup that those of one agent's jobs are in: the same after a restart, another one for another data directory. */
export function cgroupBase({ parent }: Pick<CgroupParent, "parent">, dataDir: string): string {
  const digest = createHash("sha256").update(path.resolve(dataDir)).digest("hex").slice(0, 12);
  return path.join(parent, `svc-agent-${digest}`);
}

/**
 * The folder of a process's cgroup of version 2, of what /proc/<pid>/mountinfo and /proc/<pid>/cgroup say. Containers
 * may be shown a part of the tree only.
 */
export function ownCgroup(mounts: string, groups: string): string | undefined {
  const group = /^0::(\/.*)$/m.exec(groups)?.[1];
  // Outside of what its namespace shows.
  if (group === undefined || group.startsWith("/..")) return undefined;
  for (const line of mounts.split("\n")) {
    const [before = "", after = ""] = line.split(" - ");
    if (!after.startsWith("cgroup2 ")) continue;
    const [, , , root = "", place = ""] = before.split(" ").map(unescaped);
    const below = path.posix.relative(root, group);
    if (below !== ".." && !below.startsWith("../")) return path.join(place, below);
  }
  return undefined;
}

const unescaped = (text: string): string =>
  text.replaceAll(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCodePoint(Number.parseInt(octal, 8)),
  );

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
