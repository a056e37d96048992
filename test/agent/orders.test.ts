import { beforeAll, describe, expect, test } from "vitest";
import { heldScript } from "../support/agent/held-script.ts";
import { startAgentProcess } from "../support/agent/start-agent-process.ts";
import { startTestAgent, testDataDir } from "../support/agent/start-test-agent.ts";
import { type Fleet, givenFleet } from "../support/broker/given-fleet.ts";
import { until } from "../support/broker/given-polling.ts";
import { faultProxy } from "../support/network/fault-proxy.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

describe("cancel", () => {
  test("reaches a script by way of the parked claim, and the agent says that it has stopped", async () => {
    const runner = await fleet.addRunner();
    const proxy = await faultProxy(fleet.broker.url);
    const agent = await startTestAgent(
      { url: proxy.url, token: runner.token },
      { "claim-wait": "25s" },
    );
    const jobId = await runner.enqueue(heldScript(await testDataDir()).job);
    await until(async () => (await runner.job(jobId)).executions[0]?.status === "in-progress");
    const beatsBefore = proxy.seen("POST /heart-beats").length;
    await runner.operate(`POST /v1/runner-jobs/${jobId}/cancel`);
    expect((await runner.job(jobId)).status).toBe("cancelled");
    await until(() => agent.status().jobs.length === 0);
    await until(() => proxy.seen("POST /heart-beats").length > beatsBefore);
    const stopping = async () =>
      await fleet.db`select 1 from stopping_executions
                                                where runner_id = ${runner.runnerId}`;
    await until(async () => (await stopping()).length === 0);
    const next = await runner.enqueue({ type: "actions-workflow", plan: '{"steps":[]}' });
    await runner.became(next, "finished");
  });
});

describe("settings", () => {
  test("that allow more jobs at once count without a restart", async () => {
    const runner = await fleet.addRunner();
    const agent = await startTestAgent({ url: fleet.broker.url, token: runner.token });
    const folder = await testDataDir();
    const scripts = ["one", "two", "three"].map((name) => heldScript(folder, name));
    const jobIds = await Promise.all(scripts.map(({ job }) => runner.enqueue(job)));
    await until(() => agent.status().jobs.length === 1);
    const settings = { job_group_parallelism: { actions: "3" } };
    await fleet.broker.call(`PATCH /v1/runners/${runner.runnerId}/settings`, {
      token: runner.operatorToken,
      body: settings,
    });
    await until(() => agent.status().jobs.length === 3);
    for (const script of scripts) await script.release();
    for (const jobId of jobIds) await runner.became(jobId, "finished");
  });

  test("say what the agent logs, and when it asks to be started again", async () => {
    const runner = await fleet.addRunner();
    const env = { SVC_AGENT_TOKEN: runner.token };
    const agent = await startAgentProcess({ url: fleet.broker.url, env });
    await until(() => agent.said.log.some(({ msg }) => msg === "agent started"));
    await runner.operate(`PATCH /v1/runners/${runner.runnerId}/settings`, {
      logging_level: "ERROR",
      container_max_uptime: 1,
    });
    expect(await agent.ended).toBe(75);
    expect(agent.said.log.map(({ msg }) => msg)).not.toContain("gone");
  });
});

describe("an agent whose process the broker has ended", () => {
  test("registers anew, takes over what it runs, and finishes it", async () => {
    const runner = await fleet.addRunner();
    const agent = await startTestAgent({ url: fleet.broker.url, token: runner.token });
    const held = heldScript(await testDataDir());
    const jobId = await runner.enqueue(held.job);
    await until(async () => (await runner.job(jobId)).executions[0]?.status === "in-progress");
    const before = agent.processId();
    await fleet.db`update runner_processes set must_register_anew = true where id = ${before}`;
    await until(() => agent.processId() !== before);
    await held.release();
    const { executions } = await runner.became(jobId, "finished");
    expect(executions).toMatchObject([{ runner_process_id: agent.processId() }]);
  });
});

test("a beat of the process that an agent was, refused late, does not make it yet another", async () => {
  const runner = await fleet.addRunner();
  const proxy = await faultProxy(fleet.broker.url);
  const late = proxy.hold("POST /heart-beats");
  const settings = { "request-timeout": "20s" };
  const agent = await startTestAgent({ url: proxy.url, token: runner.token }, settings);
  const before = agent.processId();
  const ends = (processId: string) =>
    proxy
      .seen("POST /heart-beats")
      .filter(({ body }) => body.includes(processId))
      .map(({ end }) => end);
  await until(() => ends(before).length === 1);
  await fleet.db`update runner_processes set must_register_anew = true where id = ${before}`;
  await until(() => agent.processId() !== before);
  const after = agent.processId();
  late.release();
  await until(() => ends(after).some((end) => end === 201));
  expect(ends(before)).toContain(409);
  expect(agent.processId()).toBe(after);
  expect(proxy.seen(({ path }) => path.endsWith("/processes"))).toHaveLength(2);
});

test("two agents of one runner share its jobs, each job with one of them", async () => {
  const runner = await fleet.addRunner({ parallelism: { actions: 4 } });
  const given = { url: fleet.broker.url, token: runner.token };
  const agents = [
    await startTestAgent(given, { groups: "actions=2" }),
    await startTestAgent(given, { groups: "actions=2" }),
  ];
  const folder = await testDataDir();
  const scripts = ["a", "b", "c", "d"].map((name) => heldScript(folder, name));
  const jobIds = await Promise.all(scripts.map(({ job }) => runner.enqueue(job)));
  await until(() => agents.every((agent) => agent.status().jobs.length === 2));
  const heldBy = agents.flatMap((agent) => agent.status().jobs.map(({ job_id }) => job_id));
  expect(heldBy.toSorted()).toEqual(jobIds.toSorted());
  for (const script of scripts) await script.release();
  for (const jobId of jobIds)
    expect((await runner.became(jobId, "finished")).executions).toHaveLength(1);
});

test("an agent without room on its disk takes nothing and says why", async () => {
  const runner = await fleet.addRunner();
  const given = { url: fleet.broker.url, token: runner.token };
  const agent = await startTestAgent(given, { "min-free-disk": "1000000GiB" });
  const jobId = await runner.enqueue();
  await until(() => agent.status().not_ready.some((reason) => reason.includes("the minimum is")));
  expect(agent.status().is_ready).toBe(false);
  expect((await runner.job(jobId)).executions).toEqual([]);
});
