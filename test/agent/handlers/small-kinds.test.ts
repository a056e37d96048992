import { chmod, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { version } from "../../../shared/version.ts";
import { givenRunnerWithAgent, jobReader } from "../../support/agent/given-jobs.ts";
import { startTestAgent } from "../../support/agent/start-test-agent.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { testFolder } from "../../support/run/folder.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

describe("the small kinds", () => {
  test.each(["noop", "noop-build", "noop-sync", "noop-deploy"] as const)(
    "%s ends well, and says so",
    async (type) => {
      const { run } = await givenRunnerWithAgent(fleet);
      expect(await run({ type })).toMatchObject({ status: "finished", result: { success: true } });
    },
  );

  test("health-check tells how the agent's loops are", async () => {
    const { run } = await givenRunnerWithAgent(fleet);
    const { outputs } = await run({ type: "health-check" });
    expect(outputs).toMatchObject({ is_well: true, results_waiting: 0, held_executions: 1 });
    expect(Object.keys(outputs["loops"] as object).sort()).toEqual(
      expect.arrayContaining(["beat", "claim", "deliver"]),
    );
  });

  test("shut-down ends the agent after what runs has ended", async () => {
    const { run, agent } = await givenRunnerWithAgent(fleet);
    expect(await run({ type: "shut-down" })).toMatchObject({ status: "finished" });
    expect(await agent.gone).toBe(0);
  });

  test("update-version restarts the agent when it has another version", async () => {
    const { run, agent } = await givenRunnerWithAgent(fleet);
    const same = await run({ type: "update-version", metadata: { version } });
    expect(same.outputs).toEqual({
      running_version: version,
      wanted_version: version,
      restarts: false,
    });
    const nameless = await run({ type: "update-version" });
    expect(nameless).toMatchObject({ status: "failed", result: { success: false } });
    const other = await run({ type: "update-version", plan: '{"version": "99.0.0"}' });
    expect(other.outputs).toMatchObject({ wanted_version: "99.0.0", restarts: true });
    expect(await agent.gone).toBe(75);
  });

  test("management jobs are done by the operator's programs", async () => {
    const folder = await testFolder(0o700);
    const program = path.join(folder, "mng-runner-restart");
    await writeFile(program, '#!/bin/sh\n[ "$(cat "$SVC_PLAN_FILEPATH")" = "{}" ] && exit 4\n');
    await chmod(program, 0o700);
    const runner = await fleet.addRunner();
    const settings = { mode: "mng", "management-dir": folder };
    await startTestAgent({ url: fleet.broker.url, token: runner.token }, settings);
    const { run } = jobReader(fleet, runner);
    const failed = await run({ type: "mng-runner-restart" });
    expect(failed.description).toBe("The program for mng-runner-restart exited with code 4.");
    const absent = await run({ type: "mng-shut-down" });
    expect(absent).toMatchObject({ status: "failed" });
    expect(absent.description).toContain("mng-shut-down");
  });
});
