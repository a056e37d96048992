import { mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { onTestFinished } from "vitest";
import { readConfig } from "../../../agent/config/read-config.ts";
import { endCgroup } from "../../../agent/job-cgroups/end-cgroup.ts";
import { cgroupBase, findCgroupParent } from "../../../agent/job-cgroups/find-cgroup-parent.ts";
import { openJobCgroups } from "../../../agent/job-cgroups/job-cgroups.ts";

/** What cgroups can do on this machine; where jobs can have none, tests say so in one line. */
export const { powers } = await openAndClose();
export const leftOut = `cgroups of jobs are left out here: ${powers.words}`;

async function openAndClose() {
  const cgroups = await openJobCgroups(readConfig({ "data-dir": `/tests/${process.pid}` }, {}));
  await cgroups.close();
  return cgroups;
}

/** The cgroup that those of an agent's jobs are in; whatever is left in there is ended after the test. */
export function givenCgroupBase(dataDir: string): { base: string; list: () => string[] } {
  const place = findCgroupParent();
  if ("words" in place) throw new Error(place.words);
  const base = cgroupBase(place, dataDir);
  onTestFinished(async () => void (await endCgroup(base)));
  return { base, list: () => foldersIn(base) };
}

/**
 * A cgroup as a service manager hands it to an agent, and the beginning of a command line that is run in it, or in one of
 * this name below it.
 */
export function givenDelegated(subgroup = ""): {
  unit: string;
  enter: readonly [string, ...string[]];
} {
  const place = findCgroupParent();
  if ("words" in place) throw new Error(place.words);
  units += 1;
  const unit = path.join(place.parent, `svc-test-${process.pid}-${units}.service`);
  const own = path.join(unit, subgroup);
  mkdirSync(own, { recursive: true });
  onTestFinished(async () => void (await endCgroup(unit)));
  return { unit, enter: ["sh", "-c", `echo 0 >${own}/cgroup.procs; exec "$@"`, "sh"] };
}

let units = 0;

function foldersIn(base: string): string[] {
  try {
    const entries = readdirSync(base, { withFileTypes: true });
    return entries.filter((one) => one.isDirectory()).map(({ name }) => name);
  } catch {
    return []; // it goes with the agent
  }
}
