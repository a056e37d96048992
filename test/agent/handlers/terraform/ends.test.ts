import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import {
  type EndedJob,
  givenRunnerWithAgent,
  jobReader,
} from "../../../support/agent/given-jobs.ts";
import { startAgentProcess } from "../../../support/agent/start-agent-process.ts";
import { startTestAgent } from "../../../support/agent/start-test-agent.ts";
import { type Fleet, givenFleet } from "../../../support/broker/given-fleet.ts";
import { until } from "../../../support/broker/given-polling.ts";
import { logOf } from "../../../support/logs/read-log.ts";
import { faultProxy } from "../../../support/network/fault-proxy.ts";
import { givenTerraformWorkspace } from "../../../support/terraform/given-terraform.ts";
import { heldTerraform } from "../../../support/terraform/held-terraform.ts";

let fleet: Fleet;
beforeAll(async () => {
  fleet = await givenFleet();
});

const small = { "main.tf": 'resource "terraform_data" "one" { input = "x" }\n' };

async function setup() {
  const runner = await givenRunnerWithAgent(fleet);
  return {
    runner,
    terraform: await givenTerraformWorkspace(fleet, runner),
    held: await heldTerraform(),
  };
}

/** An agent that speaks to the broker through a proxy, and so does its terraform. */
async function givenBehindProxy() {
  const runner = await fleet.addRunner({ parallelism: { deploy: 2 } });
  const proxy = await faultProxy(fleet.broker.url);
  const given = { url: proxy.url, token: runner.token };
  const agent = await startTestAgent(given, { groups: "deploy=2" });
  const terraform = await givenTerraformWorkspace(fleet, runner);
  return { ...jobReader(fleet, runner), proxy, agent, terraform };
}

/** What programs are told of the job's last execution, as soon as it is there. */
async function toldOf(runner: { ended: (id: string) => Promise<EndedJob> }, id: string) {
  await until(async () => (await runner.ended(id)).result !== null);
  const { result, status, description } = await runner.ended(id);
  return { status, description, ...result?.error_metadata };
}

describe("an apply that is cancelled", () => {
  test("comes to rest, saves its state, gives the lock back, and blocks the workspace with the reason", async () => {
    const { runner, terraform, held } = await setup();
    const id = await runner.enqueue(await terraform.job("exec", { files: held.files }));
    await held.begun();
    await runner.operate(`POST /v1/runner-jobs/${id}/cancel`);
    await until(async () => (await terraform.workspace()).block !== null);
    const { block, lock } = await terraform.workspace();
    expect(block).toMatchObject({ kind: "interrupted", runner_job_id: id });
    expect(block?.reason).toContain("It stopped in an orderly way");
    expect(lock).toBeNull();
    expect(await held.ran()).toEqual(["first", "second"]);
    expect(JSON.stringify(await terraform.state())).toContain("first");
    expect((await runner.ended(id)).status).toBe("cancelled");
  });
});

describe("a plan that is cancelled", () => {
  test("changes nothing and blocks nothing", async () => {
    const { proxy, terraform, enqueue, operate, ended, agent } = await givenBehindProxy();
    const held = proxy.hold("GET /v1/terraform-backend");
    const id = await enqueue(await terraform.job("create-apply-plan", { files: small }));
    await until(() => proxy.seen("GET /v1/terraform-backend").length > 0);
    await operate(`POST /v1/runner-jobs/${id}/cancel`);
    expect((await ended(id)).status).toBe("cancelled");
    held.release();
    await until(() => agent.logged.some((line) => line.includes("cancelled")));
    expect((await terraform.workspace()).block).toBeNull();
    expect(await terraform.state()).toBeUndefined();
  });
});

describe("a terraform that is killed", () => {
  test("leaves its workspace blocked, and says so", async () => {
    const { runner, terraform, held } = await setup();
    const id = await runner.enqueue(await terraform.job("exec", { files: held.files }));
    process.kill(await held.begun(), "SIGKILL");
    const told = await toldOf(runner, id);
    expect(told).toMatchObject({ status: "failed", class: "killed_dirty", made: "1" });
    expect(told.description).toContain("The workspace is blocked");
    expect((await terraform.workspace()).block).toMatchObject({ kind: "killed_dirty" });
    const next = await runner.run(
      await terraform.job("exec", { files: small, body: { lock_timeout: 1e9 } }),
    );
    expect(next).toMatchObject({ status: "failed" });
  });
});

describe("a state that cannot be saved at first", () => {
  test("arrives while terraform tries on", async () => {
    const { proxy, terraform, run } = await givenBehindProxy();
    const failing = proxy.fail("POST /v1/terraform-backend", "500", 2);
    expect(await run(await terraform.job("exec", { files: small }))).toMatchObject({
      status: "finished",
    });
    expect(failing.hits()).toBe(2);
    expect((await terraform.state())?.resources).toHaveLength(1);
  });

  test("is brought by the agent when terraform has given up", async () => {
    const { proxy, terraform, run } = await givenBehindProxy();
    proxy.fail("POST /v1/terraform-backend", "409", 1);
    const ended = await run(await terraform.job("exec", { files: small }));
    expect(ended).toMatchObject({ status: "finished" });
    expect((await terraform.state())?.resources).toHaveLength(1);
    const { lock, block } = await terraform.workspace();
    expect({ lock, block }).toEqual({ lock: null, block: null });
  });

  test("is kept aside by the broker, and blocks the workspace, when it is not taken", async () => {
    const { proxy, terraform, run, operatorToken } = await givenBehindProxy();
    proxy.fail("POST /v1/terraform-backend", "409");
    const ended = await run(await terraform.job("exec", { files: small }));
    expect(ended).toMatchObject({
      status: "failed",
      result: { error_metadata: { class: "state_push_failed", rescued: "at-broker" } },
    });
    const path = `GET /v1/terraform-workspaces/${terraform.workspaceId}/rescued-states`;
    const { body } = await fleet.broker.call(path, { token: operatorToken });
    expect(body).toMatchObject([{ runner_job_id: ended.id }]);
    expect((await terraform.workspace()).block).not.toBeNull();
  });

  test("waits sealed on the host, and the next agent there brings it", async () => {
    const { proxy, terraform, run, agent, operatorToken, token } = await givenBehindProxy();
    proxy.fail("POST /v1/terraform-backend", "409");
    const away = proxy.fail("POST /rescued-states", "500");
    const ended = await run(await terraform.job("exec", { files: small }));
    expect(ended.result?.error_metadata).toMatchObject({ rescued: "on-host" });
    const [file = ""] = await readdir(path.join(agent.dataDir, "rescued")).then((names) =>
      names.filter((name) => name.endsWith(".state")),
    );
    const kept = await readFile(path.join(agent.dataDir, "rescued", file));
    expect(kept.includes("terraform_data")).toBe(false);
    agent.signal("SIGTERM");
    await agent.gone;
    away.mend();
    const given = { url: proxy.url, token, dataDir: agent.dataDir };
    await startTestAgent(given, { groups: "deploy=2" });
    const list = `GET /v1/terraform-workspaces/${terraform.workspaceId}/rescued-states`;
    const waiting = async (): Promise<number> =>
      (await fleet.broker.call<object[]>(list, { token: operatorToken })).body.length;
    await expect.poll(waiting).toBe(1);
  });
});

describe("an agent that is killed", () => {
  async function givenKillable() {
    const runner = await fleet.addRunner({ parallelism: { deploy: 2 } });
    const given = {
      url: fleet.broker.url,
      env: { SVC_AGENT_TOKEN: runner.token },
      settings: { groups: "deploy=2" },
    };
    const first = await startAgentProcess(given);
    const again = async () => await startAgentProcess({ ...given, dataDir: first.dataDir });
    const terraform = await givenTerraformWorkspace(fleet, runner);
    return { ...jobReader(fleet, runner), terraform, first, again, held: await heldTerraform() };
  }

  test("leaves terraform running: it saves its state and unlocks, and the next agent tells its true end", async () => {
    const { terraform, first, again, held, enqueue, ended } = await givenKillable();
    const id = await enqueue(await terraform.job("exec", { files: held.files }));
    await held.begun();
    first.kill("SIGKILL");
    await first.ended;
    await held.release(); // it ends while nobody looks after it
    await until(async () => (await terraform.state())?.resources.length === 3);
    await again();
    expect(await ended(id)).toMatchObject({
      status: "finished",
      description: "Applied: 3 added, 0 changed, 0 destroyed.",
      outputs: { third: "third" },
    });
    expect(await held.ran()).toEqual(["first", "second", "third"]);
    const { lock, block } = await terraform.workspace();
    expect({ lock, block }).toEqual({ lock: null, block: null });
  });

  test("again and again, does each thing once all the same", async () => {
    const { terraform, first, again, held, enqueue, ended, job } = await givenKillable();
    const id = await enqueue(await terraform.job("exec", { files: held.files }));
    let agent = first;
    const kill = async (): Promise<void> => {
      agent.kill("SIGKILL");
      await agent.ended;
      agent = await again();
    };
    await until(async () => (await job(id)).executions[0]?.status === "in-progress");
    await kill(); // while the source is fetched, or just after
    const said = async (words: string): Promise<boolean> =>
      (await logOf(fleet, { operatorToken: terraform.operatorToken }, id)).some((line) =>
        line.includes(words),
      );
    await until(async () => await said("Initializing the backend"));
    await kill();
    await until(async () => await said("Plan to create"));
    await kill();
    await held.begun();
    await kill();
    await held.release();
    await kill();
    expect(await ended(id)).toMatchObject({ status: "finished", outputs: { third: "third" } });
    expect((await job(id)).executions).toHaveLength(1);
    expect(await held.ran()).toEqual(["first", "second", "third"]);
    expect((await terraform.workspace()).lock).toBeNull();
  });
});
