import { readlink } from "node:fs/promises";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { version } from "../../../shared/version.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { until } from "../../support/broker/given-polling.ts";
import { agentOfVersion, oddVersion, putVersion } from "../../support/mng/agent-versions.ts";
import { givenSystemdHost } from "../../support/mng/given-systemd-host.ts";
import { agentProgram } from "../../support/programs/present-programs.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";

let fleet: Fleet;
let next: string;
beforeAll(async () => {
  fleet = await givenFleet();
  next = await agentOfVersion("7.1.0");
});

describeWithTools(["systemd", "systemctl", "unshare"], "a managed agent as a systemd unit", () => {
  test("is started, switched by its link, restarted and stopped", async () => {
    const host = await givenSystemdHost(fleet);
    await putVersion(host.versionsDir, "7.1.0", next);
    host.startMng();
    const first = await host.agentUp();
    expect(first.version).toBe(version);
    const metadata = { version: "7.1.0" };
    const update = await host.run({ type: "mng-runner-update-version", metadata });
    expect(update.outputs).toMatchObject({ result: "switched", driver: "systemd" });
    expect(await readlink(host.link)).toBe(path.join(host.versionsDir, "7.1.0", "svc-agent.mjs"));
    const second = await host.agentUp(first.id);
    expect(second.version).toBe("7.1.0");
    expect((await host.run({ type: "mng-runner-restart" })).outputs).toMatchObject({
      result: "restarted",
    });
    expect((await host.run({ type: "mng-shut-down" })).outputs).toMatchObject({
      result: "stopped",
    });
    const shown = await host.systemd.systemctl(
      "show",
      "svc-agent.service",
      "--property=ActiveState",
    );
    expect(shown.trim()).toBe("ActiveState=inactive");
  });

  test("goes back to where its link pointed, when the new version does not work", async () => {
    const host = await givenSystemdHost(fleet);
    await putVersion(host.versionsDir, "7.2.0", oddVersion("7.2.0", "process.exit(1);"));
    host.startMng({ "mng-probation": "4s" });
    const first = await host.agentUp();
    const metadata = { version: "7.2.0" };
    const update = await host.run({ type: "mng-runner-update-version", metadata });
    expect(update.outputs).toMatchObject({ result: "rolled_back" });
    // It may have ended before systemd says that it has begun.
    expect(update.description).toMatch(
      /no heartbeat within 4s \(it exited with code 1\)|could not be started: .*exited with error code/,
    );
    expect(await readlink(host.link)).toBe(agentProgram);
    expect((await host.agentUp(first.id)).version).toBe(version);
  });

  test("is started again when it failed and systemd gave up, or somebody stopped it", async () => {
    const host = await givenSystemdHost(fleet);
    host.startMng();
    const first = await host.agentUp();
    await host.systemd.systemctl("kill", "--kill-whom=main", "--signal=KILL", "svc-agent.service");
    const second = await host.agentUp(first.id); // by systemd itself
    await host.systemd.systemctl("stop", "svc-agent.service");
    await until(async () => (await host.journal()).stopped !== ""); // somebody has asked for that
    expect(await host.live("install")).toHaveLength(0);
    await host.run({ type: "mng-runner-restart" });
    expect((await host.agentUp(second.id)).version).toBe(version);
  });
});
