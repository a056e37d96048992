import { existsSync, readFileSync } from "node:fs";
import { mkdir, readdir, rmdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";
import type { AgentConfig } from "../config/read-config.ts";
import { ExitError } from "../exit-error.ts";
import { endCgroup } from "./end-cgroup.ts";
import { cgroupBase, type CgroupParent, findCgroupParent } from "./find-cgroup-parent.ts";
import { type Bounds, boundsOf } from "./job-bounds.ts";

/**
 * The cgroups of jobs. All children of an execution are in one, which they cannot leave where jobs run as other users.
 */
export type JobCgroups = {
  readonly powers: CgroupPowers;
  /** Makes or finds the execution's cgroup, with the bounds of its type of job; undefined when cgroups are not used. */
  readonly take: (executionId: string, type: string) => Promise<string | undefined>;
  /** Reserves the cgroup of a resumed execution. */
  readonly keep: (executionId: string, folder: string) => void;
  /** Kills what is left in the execution's cgroup and removes it; returns messages about what hangs. */
  readonly end: (executionId: string) => Promise<string[]>;
  /** Ends what former jobs left in cgroups that are not reserved. Returns the number of cgroups. */
  readonly clear: () => Promise<number>;
  /** Removes the parent cgroup, if no job has a cgroup in it. */
  readonly close: () => Promise<void>;
};

/** What cgroups of jobs can do here. */
export type CgroupPowers = {
  /** All processes of a job can be killed at once; without this no cgroups are used. */
  readonly kill: boolean;
  readonly memory: boolean;
  readonly pids: boolean;
  /** Why something is not possible. */
  readonly words: string;
};

type Wish = Pick<AgentConfig, "jobCgroups" | "jobMemoryMax" | "jobPidsMax" | "dataDir">;

/** Opens the parent of the cgroups of jobs. Throws a message when `job-cgroups` is on and cannot be satisfied. */
export async function openJobCgroups(wish: Wish): Promise<JobCgroups> {
  const { base, powers } = await openPlace(wish);
  const lacking = powers.kill ? missingBounds(wish, powers) : ["cgroups"];
  if (wish.jobCgroups === "on" && lacking.length > 0) {
    const words = `job-cgroups is on, but jobs cannot have ${lacking.join(" and ")} on this host: ${powers.words}.`;
    throw new ExitError("config", words);
  }
  return makeJobCgroups({ base, powers, wish });
}

/** The configured limits that cannot be enforced. */
export function missingBounds(
  { jobMemoryMax, jobPidsMax }: Pick<Wish, "jobMemoryMax" | "jobPidsMax">,
  powers: CgroupPowers,
): string[] {
  return [
    ...(jobMemoryMax !== undefined && !powers.memory ? ["job-memory-max"] : []),
    ...(jobPidsMax !== undefined && !powers.pids ? ["job-pids-max"] : []),
  ];
}

type Place = { readonly base: string | undefined; readonly powers: CgroupPowers };

const none = (words: string): Place => ({
  base: undefined,
  powers: { kill: false, memory: false, pids: false, words },
});

async function openPlace({ jobCgroups, dataDir }: Wish): Promise<Place> {
  if (jobCgroups === "off") return none("job-cgroups is off");
  const place = findCgroupParent();
  if ("words" in place) return none(place.words);
  const base = cgroupBase(place, dataDir);
  try {
    await mkdir(base, { recursive: true });
    await tryToEnter(base);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "it refuses processes";
    await rmdir(base).catch(() => {}); // it may not have been made
    return none(`the agent cannot create cgroups in ${place.parent} (${code})`);
  }
  return { base, powers: await gainPowers(place, base) };
}

/** Tried with a real process, because the permissions of the cgroup that it comes from count as well. */
async function tryToEnter(base: string): Promise<void> {
  const folder = path.join(base, `try-${process.pid}`);
  await mkdir(folder, { recursive: true });
  try {
    await execa("/bin/sh", ["-c", 'echo 0 >"$1/cgroup.procs"', "svc-agent", folder], {
      env: { PATH: "/usr/bin:/bin" },
      extendEnv: false,
      cwd: "/",
    });
  } finally {
    await endCgroup(folder);
  }
}

/** Enables the available controllers for the cgroups of jobs. */
async function gainPowers({ parent, mayBound }: CgroupParent, base: string): Promise<CgroupPowers> {
  if (!mayBound) {
    const words = `the agent itself runs in ${parent}, so cgroups in it cannot have limits: set DelegateSubgroup=agent (systemd 254)`;
    return { kill: true, memory: false, pids: false, words };
  }
  for (const folder of [parent, base]) {
    for (const name of ["memory", "pids"]) {
      // Missing controllers, or those that may not be enabled, show up below.
      await writeFile(path.join(folder, "cgroup.subtree_control"), `+${name}`).catch(() => {});
    }
  }
  const had = readFileSync(path.join(base, "cgroup.subtree_control"), "utf8").trim().split(" ");
  const [memory, pids] = [had.includes("memory"), had.includes("pids")];
  const lacking = [...(memory ? [] : ["memory"]), ...(pids ? [] : ["pids"])];
  const words = `${parent} does not delegate the controllers ${lacking.join(" and ")}`;
  return { kill: true, memory, pids, words: lacking.length === 0 ? "" : words };
}

type Made = Place & { readonly wish: Wish };

function makeJobCgroups({ base, powers, wish }: Made): JobCgroups {
  const held = new Map<string, string>();
  return {
    powers,
    async take(executionId, type) {
      const known = held.get(executionId);
      if (known !== undefined && existsSync(known)) return known;
      if (base === undefined) return undefined;
      const folder = path.join(base, executionId);
      await mkdir(folder, { recursive: true });
      await bound(folder, powers, boundsOf(wish, type));
      held.set(executionId, folder);
      return folder;
    },
    keep: (executionId, folder) => void held.set(executionId, folder),
    async end(executionId) {
      const folder = held.get(executionId);
      const left = folder === undefined ? 0 : await endCgroup(folder);
      if (left > 0)
        return [`${left} of its processes could not be killed: they hang in the kernel`];
      held.delete(executionId);
      return [];
    },
    async clear() {
      const names = base === undefined ? [] : await listFolders(base);
      const kept = new Set(held.values());
      const left = names.filter((folder) => !kept.has(folder));
      for (const folder of left) await endCgroup(folder);
      return left.length;
    },
    async close() {
      if (base !== undefined) await rmdir(base).catch(() => {}); // a job's process hangs in it
    },
  };
}

async function bound(folder: string, powers: CgroupPowers, bounds: Bounds): Promise<void> {
  const { jobMemoryMax, jobPidsMax } = bounds;
  if (powers.memory && jobMemoryMax !== undefined) {
    await writeFile(path.join(folder, "memory.max"), `${jobMemoryMax}`);
  }
  if (powers.pids && jobPidsMax !== undefined) {
    await writeFile(path.join(folder, "pids.max"), `${jobPidsMax}`);
  }
}

async function listFolders(base: string): Promise<string[]> {
  const entries = await readdir(base, { withFileTypes: true }).catch(() => []);
  return entries.filter((one) => one.isDirectory()).map(({ name }) => path.join(base, name));
}
