import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

/** Where the cgroups of jobs can be made. */
export type CgroupParent = {
  /** The parent of the cgroups of jobs. */
  readonly parent: string;
  /** Whether they can have limits: no process runs in the parent itself, or it is the root cgroup. */
  readonly mayBound: boolean;
};

/** The name of the agent's own cgroup in the systemd unit (DelegateSubgroup); those of jobs are its siblings. */
const subgroup = "agent";

/** Finds the parent for cgroups of jobs from this process's own cgroup; a message where there is none. */
export function findCgroupParent(): CgroupParent | { readonly words: string } {
  const own = ownCgroup(read("/proc/self/mountinfo"), read("/proc/self/cgroup"));
  if (own === undefined || !existsSync(path.join(own, "cgroup.procs"))) {
    return { words: "the agent sees no cgroup of version 2 on this host" };
  }
  const parent = path.basename(own) === subgroup ? path.dirname(own) : own;
  // The root cgroup has no type file, and its children can be limited whatever runs in it.
  const isFirst = !existsSync(path.join(parent, "cgroup.type"));
  return { parent, mayBound: isFirst || read(path.join(parent, "cgroup.procs")) === "" };
}

/** The parent of one agent's job cgroups: the same after a restart, different for each data directory. */
export function cgroupBase({ parent }: Pick<CgroupParent, "parent">, dataDir: string): string {
  const digest = createHash("sha256").update(path.resolve(dataDir)).digest("hex").slice(0, 12);
  return path.join(parent, `svc-agent-${digest}`);
}

/**
 * The folder of a process's cgroup v2, from its /proc/<pid>/mountinfo and /proc/<pid>/cgroup. Containers may see only
 * a part of the tree.
 */
export function ownCgroup(mounts: string, groups: string): string | undefined {
  const group = /^0::(\/.*)$/m.exec(groups)?.[1];
  // Outside of its cgroup namespace.
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
