import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { version } from "../../shared/version.ts";
import { startAgentProcess } from "../support/agent/start-agent-process.ts";
import { expectConfigSynced } from "../support/apps/expect-config-synced.ts";
import { startBrokerProcess } from "../support/broker/broker-process.ts";
import { type Fleet, givenFleet } from "../support/broker/given-fleet.ts";
import { testDatabase } from "../support/database/database.ts";
import { builtPrograms } from "../support/programs/built-programs.ts";
import { givenToken } from "../support/rows/given-token.ts";
import { givenOrg } from "../support/rows/given.ts";
import { testFolder } from "../support/run/folder.ts";

const run = promisify(execFile);
let agent: string;
let broker: string;
let fleet: Fleet;

beforeAll(async () => {
  const [folder, given] = await Promise.all([
    builtPrograms("--single", "svc-agent", "svc-broker"),
    givenFleet(),
  ]);
  agent = path.join(folder, "svc-agent");
  broker = path.join(folder, "svc-broker");
  fleet = given;
});

describe("the agent as a single executable", () => {
  test("runs where there is no Node", async () => {
    const env = { PATH: "/usr/bin:/bin" };
    const { stdout } = await run(agent, ["version"], { env, cwd: await testFolder() });
    expect(stdout).toContain(`svc-agent ${version} (Node ${process.versions.node}`);
  });

  test("does a job, and hides a token that its environment gave", async () => {
    const { token, enqueue, became } = await fleet.addRunner();
    const env = { SVC_AGENT_TOKEN: token };
    const started = await startAgentProcess({ url: fleet.broker.url, command: [agent], env });
    await became(await enqueue(), "finished");
    const shown = await readFile(`/proc/${started.pid}/environ`, "utf8");
    expect(shown).toContain("PATH=");
    expect(shown).not.toContain(token);
    started.kill("SIGTERM");
    expect(await started.ended).toBe(0);
  });
});

describe("the broker as a single executable", () => {
  test("has its child processes within itself", async () => {
    const { url, db } = await testDatabase();
    const token = await givenToken(db, { orgId: await givenOrg(db), role: "org_builder" });
    const started = await startBrokerProcess(url, { executable: broker });
    try {
      await expectConfigSynced(started.url, token);
    } finally {
      await started.kill();
    }
  });
});
