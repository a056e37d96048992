import { execFile } from "node:child_process";
import { beforeAll, describe, expect, test } from "vitest";
import type { RunnerUpdate } from "../../../shared/api/runner-updates.ts";
import type { Runner } from "../../../shared/api/runner.ts";
import { version } from "../../../shared/version.ts";
import { heldScript } from "../../support/agent/held-script.ts";
import { testDataDir } from "../../support/agent/start-test-agent.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { until } from "../../support/broker/given-polling.ts";
import { agentOfVersion, oddVersion, putVersion } from "../../support/mng/agent-versions.ts";
import { givenManagedHost, type ManagedHost } from "../../support/mng/given-managed-host.ts";
import { svcProgram } from "../../support/programs/present-programs.ts";

let fleet: Fleet;
let next: string;

beforeAll(async () => {
  fleet = await givenFleet();
  next = await agentOfVersion("7.1.0");
});

const read = async ({ runnerId, operatorToken: token }: ManagedHost): Promise<Runner> =>
  (await fleet.broker.call<Runner>(`GET /v1/runners/${runnerId}`, { token })).body;

/** What `svc runner update-version` ends with, and printed. */
async function update(
  { runnerId, operatorToken }: ManagedHost,
  ...args: readonly string[]
): Promise<{ readonly code: number; readonly order: RunnerUpdate }> {
  const words = ["runner", "update-version", runnerId, ...args, "--wait", "-o", "json"];
  const env = { ...process.env, SVC_URL: fleet.broker.url, SVC_TOKEN: operatorToken };
  return await new Promise((resolve, reject) => {
    execFile(process.execPath, [svcProgram, ...words], { env }, (error, out, err) => {
      const code = error === null ? 0 : Number(error.code);
      if (out === "") reject(new Error(err));
      else resolve({ code, order: JSON.parse(out) as RunnerUpdate });
    });
  });
}

describe("an order to update a managed host", () => {
  test("switches the agent after its running job, and is completed", async () => {
    const host = await givenManagedHost(fleet);
    await putVersion(host.versionsDir, "7.1.0", next);
    host.startMng({ "mng-update-window": "24h" }); // else it would follow the settings by itself
    const first = await host.agentUp();
    expect((await read(host)).versions).toMatchObject({
      running: [version],
      summary: `runs ${version}`,
    });
    const held = heldScript(await testDataDir());
    const running = await host.enqueue(held.job);
    await until(async () => (await host.job(running)).status === "in-progress");
    const ordered = update(host, "7.1.0", "--change-settings", "--reason", "a fix");
    await until(async () => (await read(host)).updates?.[0]?.status === "in-progress");
    expect((await read(host)).versions.wanted).toBe("7.1.0");
    expect((await host.job(running)).status).toBe("in-progress");
    await held.release();
    const { code, order } = await ordered;
    expect(code).toBe(0);
    expect(order).toMatchObject({ status: "completed", version: "7.1.0", reason: "a fix" });
    expect(order.status_description).toContain("switched");
    await host.agentUp(first.id);
    expect((await read(host)).versions).toMatchObject({
      running: ["7.1.0"],
      is_behind: false,
      summary: "runs 7.1.0",
    });
    expect(await host.ended(running)).toMatchObject({ status: "finished" });
  });

  test("failed, in words, when the version does not work and the host went back", async () => {
    const host = await givenManagedHost(fleet);
    await putVersion(host.versionsDir, "7.2.0", oddVersion("7.2.0", "process.exit(1);"));
    host.startMng({ "mng-probation": "3s" });
    const first = await host.agentUp();
    const { code, order } = await update(host, "7.2.0");
    expect(code).toBe(1);
    expect(order.status).toBe("failed");
    expect(order.status_description).toMatch(
      /7\.2\.0 does not work here: .*exited with code 1.* is back at/,
    );
    expect((await host.agentUp(first.id)).version).toBe(version);
    expect((await read(host)).updates).toMatchObject([{ status: "failed", deadline_at: null }]);
  });
});
