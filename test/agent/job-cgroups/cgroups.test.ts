import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { endCgroup, killOneByOne } from "../../../agent/job-cgroups/end-cgroup.ts";
import { givenChildren, readAll } from "../../support/agent/given-child.ts";
import { givenCgroupBase, leftOut, powers } from "../../support/agent/given-job-cgroups.ts";
import { until } from "../../support/broker/given-polling.ts";

if (!powers.kill) test(leftOut, () => expect(powers.kill).toBe(false));

const withCgroups = powers.kill ? describe : () => {};
withCgroups("a cgroup", () => {
  test("is entered before a child begins, and one that is not there is told", async () => {
    const { base } = givenCgroupBase(`/tests/${process.pid}.children`);
    const cgroup = path.join(base, "exe_1");
    await mkdir(cgroup, { recursive: true });
    const { bash } = await givenChildren();
    const child = await bash("cat /proc/self/cgroup", { cgroup });
    expect(await readAll(child.output)).toContain(`${path.basename(base)}/exe_1\n`);
    await expect(bash("true", { step: 2, cgroup: path.join(base, "exe_2") })).rejects.toThrow(
      "it could not enter its cgroup",
    );
  });

  test("is emptied whatever forks in it, also by a kernel that cannot kill it whole", async () => {
    const { base } = givenCgroupBase(`/tests/${process.pid}.forks`);
    const cgroup = path.join(base, "exe_1");
    const below = path.join(cgroup, "below");
    await mkdir(below, { recursive: true });
    const forks = "trap '' TERM; while :; do sh -c 'sleep 0.05 & sleep 0.01' & sleep 0.005; done";
    const start = (folder: string): void => {
      const script = `echo 0 >${folder}/cgroup.procs; ${forks}`;
      execFileSync("sh", ["-c", 'setsid -f sh -c "$0"', script], { stdio: "ignore" });
    };
    const isPopulated = () =>
      readFileSync(path.join(cgroup, "cgroup.events"), "utf8").includes("populated 1");
    start(below);
    await until(isPopulated);
    await until(async () => {
      await killOneByOne(cgroup);
      return !isPopulated();
    });
    await writeFile(path.join(cgroup, "cgroup.freeze"), "0");
    start(cgroup);
    await until(isPopulated);
    expect(await endCgroup(cgroup)).toBe(0);
    expect(existsSync(cgroup)).toBe(false);
    expect(await endCgroup(cgroup)).toBe(0);
  });
});
