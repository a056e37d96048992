import { chmod, mkdir, readlink, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { version } from "../../../shared/version.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { oddVersion, putVersion } from "../../support/mng/agent-versions.ts";
import { givenManagedHost } from "../../support/mng/given-managed-host.ts";
import { givenSystemdHost } from "../../support/mng/given-systemd-host.ts";
import { agentProgram } from "../../support/programs/present-programs.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";
import { testFolder } from "../../support/run/folder.ts";

let fleet: Fleet;
beforeAll(async () => {
  fleet = await givenFleet();
});

const metadata = { version: "7.2.0" };

/** Says its version once, and cannot be started after that. */
const onceOnly = (then: string): string =>
  `#!/bin/sh\necho '{"version":"7.2.0"}'\n[ "$1" = version ] && ${then} "$0"\n`;

async function putProgram(dir: string, text: string): Promise<void> {
  const folder = path.join(dir, "7.2.0");
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, "svc-agent"), text, { mode: 0o755 });
}

describe("a version that cannot be started", () => {
  test.each([
    ["may not be executed", "chmod a-x", /could not be started: spawn .*7\.2\.0\/svc-agent EACCES/],
    ["is gone", "rm", /could not be started: Version 7\.2\.0 is not in/],
  ])("because it %s leads back to the former one", async (_, then, why) => {
    const host = await givenManagedHost(fleet);
    await putProgram(host.versionsDir, onceOnly(then));
    host.startMng();
    const first = await host.agentUp();
    const job = await host.run({ type: "mng-runner-update-version", metadata });
    expect(job).toMatchObject({ status: "failed", outputs: { result: "rolled_back" } });
    expect(job.description).toMatch(why);
    expect(await host.agentUp(first.id)).toMatchObject({ version });
    expect(await host.journal()).toMatchObject({ operation: null, release: "" });
  });
});

describe("a step that cannot be written", () => {
  test("is not taken; the job is told, and the next one does it when it can be", async () => {
    const host = await givenManagedHost(fleet);
    const folder = await testFolder(0o755);
    host.startMng({ "data-dir": folder });
    const first = await host.agentUp();
    const pid = await host.agentPid();
    const journal = path.join(folder, "management.json");
    await rm(journal, { force: true });
    await mkdir(journal); // no file can be renamed to it
    const told = await host.run({ type: "mng-runner-restart" });
    expect(told.outputs).toMatchObject({ result: "failed" });
    expect(told.description).toMatch(/It was not started: .*EISDIR/);
    expect(await host.agentPid()).toBe(pid);
    expect((await host.agentUp()).id).toBe(first.id);
    await rm(journal, { recursive: true });
    const job = await host.run({ type: "mng-runner-restart" });
    expect(job.outputs).toMatchObject({ result: "restarted" });
    await host.agentUp(first.id);
  });
});

describeWithTools(
  ["systemd", "systemctl", "unshare"],
  "a unit that starts the agent itself",
  () => {
    async function setup() {
      const program = path.join(await testFolder(0o755), "svc-agent");
      await writeFile(program, `#!/bin/sh\nexec ${process.execPath} ${agentProgram} "$@"\n`);
      await chmod(program, 0o755);
      return { ...(await givenSystemdHost(fleet, { before: [], program })), program };
    }

    test("is not given a program that it could not execute", async () => {
      const host = await setup();
      await putVersion(host.versionsDir, "7.2.0", oddVersion("7.2.0", ""));
      await chmod(path.join(host.versionsDir, "7.2.0", "svc-agent.mjs"), 0o644);
      host.startMng();
      const first = await host.agentUp();
      const job = await host.run({ type: "mng-runner-update-version", metadata });
      expect(job.outputs).toMatchObject({ result: "refused" });
      expect(job.description).toMatch(/does not start here: .*EACCES/);
      expect((await host.agentUp()).id).toBe(first.id);
    });

    test("goes back from a program that it cannot execute", async () => {
      const host = await setup();
      await putProgram(host.versionsDir, onceOnly("chmod a-x"));
      host.startMng();
      const first = await host.agentUp();
      const job = await host.run({ type: "mng-runner-update-version", metadata });
      expect(job.outputs).toMatchObject({ result: "rolled_back" });
      expect(job.description).toContain("could not be started: systemctl: ");
      expect((await host.agentUp(first.id)).version).toBe(version);
      expect(await readlink(host.link)).toBe(host.program);
    });
  },
);
