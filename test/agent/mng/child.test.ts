import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { version } from "../../../shared/version.ts";
import { heldScript } from "../../support/agent/held-script.ts";
import { testDataDir } from "../../support/agent/start-test-agent.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { until } from "../../support/broker/given-polling.ts";
import { agentOfVersion, oddVersion, putVersion } from "../../support/mng/agent-versions.ts";
import { givenManagedHost } from "../../support/mng/given-managed-host.ts";

let fleet: Fleet;
let next: string;

beforeAll(async () => {
  fleet = await givenFleet();
  next = await agentOfVersion("7.1.0");
});

const hasBegun = async (jobs: { job: (id: string) => Promise<{ status: string }> }, id: string) =>
  await until(async () => (await jobs.job(id)).status === "in-progress");

describe("a managed agent as a child", () => {
  test("is started, does jobs, and is started again when it is killed", async () => {
    const host = await givenManagedHost(fleet);
    host.startMng();
    const first = await host.agentUp();
    expect(first).toMatchObject({ type: "install", version });
    await until(async () => (await host.live("mng")).length === 1); // it may register after its agent
    expect(await host.run({ type: "noop" })).toMatchObject({ status: "finished" });
    process.kill(await host.agentPid(), "SIGKILL");
    await host.agentUp(first.id);
    expect(await host.run({ type: "noop" })).toMatchObject({ status: "finished" });
  });

  test("goes on when its management process is killed, and is found again by the next", async () => {
    const host = await givenManagedHost(fleet);
    const mng = host.startMng();
    const first = await host.agentUp();
    const pid = await host.agentPid();
    mng.kill("SIGKILL");
    await mng.ended;
    host.startMng();
    await until(async () => (await host.live("mng")).length === 1);
    const job = await host.run({ type: "mng-runner-restart" });
    expect(job).toMatchObject({ status: "finished", outputs: { result: "restarted" } });
    expect((await host.agentUp(first.id)).id).not.toBe(first.id);
    expect(await host.agentPid()).not.toBe(pid);
  });

  test("is switched to another version after its running job, and the job tells", async () => {
    const host = await givenManagedHost(fleet);
    await putVersion(host.versionsDir, "7.1.0", next);
    host.startMng();
    const first = await host.agentUp();
    const held = heldScript(await testDataDir());
    const running = await host.enqueue(held.job);
    await hasBegun(host, running);
    const update = await host.enqueue({
      type: "mng-runner-update-version",
      plan: '{"version": "v7.1.0"}',
    });
    await until(async () => (await host.journal()).operation?.step === "drain");
    await until(async () => (await host.live("install")).length === 0); // it takes no new jobs
    expect((await host.job(running)).status).toBe("in-progress");
    await held.release();
    const { outputs, description } = await host.ended(update);
    expect(outputs).toMatchObject({ result: "switched", to: "7.1.0", driver: "child" });
    expect(description).toContain("7.1.0");
    expect(await host.ended(running)).toMatchObject({ status: "finished" });
    expect(await host.agentUp(first.id)).toMatchObject({ version: "7.1.0" });
    const again = await host.run({
      type: "mng-runner-update-version",
      metadata: { version: "7.1.0" },
    });
    expect(again.outputs).toMatchObject({ result: "unchanged" });
  });

  test.each([
    ["exits at once", "process.exit(1);", /no heartbeat within 3s \(it exited with code 1\)/],
    ["cannot start at all", "process.exit(78);", /exited with code 78/],
    ["runs and says nothing", "setInterval(() => {}, 1000);", /no heartbeat within 3s/],
    ["ends as if asked to", "process.exit(0);", /exited with code 0/],
  ])("goes back when the new version %s", async (_, start, why) => {
    const host = await givenManagedHost(fleet);
    await putVersion(host.versionsDir, "7.2.0", oddVersion("7.2.0", start));
    host.startMng({ "mng-probation": "3s" });
    const first = await host.agentUp();
    const metadata = { version: "7.2.0" };
    const job = await host.run({ type: "mng-runner-update-version", metadata });
    expect(job).toMatchObject({ status: "failed", outputs: { result: "rolled_back" } });
    expect(job.description).toMatch(why);
    expect(job.result?.error_metadata).toMatchObject({
      reason: "step_failed",
      class: "rolled_back",
    });
    expect(await host.agentUp(first.id)).toMatchObject({ version });
    expect(await host.run({ type: "noop" })).toMatchObject({ status: "finished" });
  });

  test("follows the version of its runner's settings, and does not try a broken one twice", async () => {
    const host = await givenManagedHost(fleet);
    await putVersion(host.versionsDir, "7.1.0", next);
    await putVersion(host.versionsDir, "7.3.0", oddVersion("7.3.0", "process.exit(78);"));
    const mng = host.startMng({ "mng-probation": "20s" });
    const first = await host.agentUp();
    await host.changeSettings({ binary_version: "7.1.0" });
    const second = await host.agentUp(first.id);
    expect(second.version).toBe("7.1.0");
    await host.changeSettings({ binary_version: "7.3.0" });
    const third = await host.agentUp(second.id);
    expect(third.version).toBe("7.1.0");
    await until(async () => (await host.journal()).operation === null);
    expect(await host.journal()).toMatchObject({ rejected: { release: "7.3.0" } });
    const tries = mng.log.filter(({ msg }) => msg === "7.3.0 is ready.").length;
    await host.changeSettings({ logging_level: "WARN" });
    expect(await host.run({ type: "noop" })).toMatchObject({ status: "finished" });
    expect(mng.log.filter(({ msg }) => msg === "7.3.0 is ready.")).toHaveLength(tries);
  });

  test("is not cut off by an update whose time is over, and stays what it was", async () => {
    const host = await givenManagedHost(fleet);
    await putVersion(host.versionsDir, "7.1.0", next);
    host.startMng({ "drain-timeout": "1s" });
    const first = await host.agentUp();
    const held = heldScript(await testDataDir());
    const running = await host.enqueue(held.job);
    await hasBegun(host, running);
    const update = await host.run({
      type: "mng-runner-update-version",
      metadata: { version: "7.1.0" },
    });
    expect(update.outputs).toMatchObject({ result: "still_busy" });
    expect((await host.job(running)).status).toBe("in-progress");
    await held.release();
    expect(await host.ended(running)).toMatchObject({ status: "finished" });
    expect(await host.agentUp(first.id)).toMatchObject({ version });
  });

  test("is stopped by a job and stays so, until it is restarted", async () => {
    const host = await givenManagedHost(fleet);
    const mng = host.startMng();
    await host.agentUp();
    const stop = await host.run({ type: "mng-shut-down" });
    expect(stop.outputs).toMatchObject({ result: "stopped" });
    expect(await host.live("install")).toHaveLength(0);
    mng.kill("SIGKILL");
    await mng.ended;
    host.startMng();
    await until(async () => (await host.live("mng")).length === 1);
    expect(await host.live("install")).toHaveLength(0);
    const restart = await host.run({ type: "mng-runner-restart" });
    expect(restart.outputs).toMatchObject({ result: "restarted" });
    expect(await host.live("install")).toHaveLength(1);
  });

  test("powers its host off only where that is allowed, by the command of its owner alone", async () => {
    const host = await givenManagedHost(fleet);
    const [program, mark] = [path.join(host.folder, "off"), path.join(host.folder, "off.txt")];
    await writeFile(program, `#!/bin/sh\necho "$@" > ${mark}\n`, { mode: 0o755 });
    const command = { "mng-power-off-command": `${program} --now` };
    const mng = host.startMng(command);
    await host.agentUp();
    const plan = JSON.stringify({ command: "touch /tmp/never", "mng-power-off": "yes" });
    const refused = await host.run({ type: "mng-vm-shut-down", plan });
    expect(refused.description).toContain("mng-power-off is no");
    expect(refused.result?.error_metadata).toMatchObject({ reason: "refused" });
    expect(await host.live("install")).toHaveLength(1);
    mng.kill("SIGTERM");
    expect(await mng.ended).toBe(0);
    host.startMng({ ...command, "mng-power-off": "yes" });
    const done = await host.run({ type: "mng-vm-shut-down" });
    expect(done.outputs).toMatchObject({ result: "powering_off" });
    expect(await host.live("install")).toHaveLength(0);
    await until(async () => (await readFile(mark, "utf8")) === "--now\n");
  });
});
