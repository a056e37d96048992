import { readFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type HeldScript, heldScript } from "../support/agent/held-script.ts";
import { startTestAgent, type TestAgent, testDataDir } from "../support/agent/start-test-agent.ts";
import { type Fleet, givenFleet, type TestRunner } from "../support/broker/given-fleet.ts";
import { until } from "../support/broker/given-polling.ts";
import { faultProxy } from "../support/network/fault-proxy.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

type Busy = {
  readonly runner: TestRunner;
  readonly agent: TestAgent;
  readonly jobId: string;
  readonly held: HeldScript;
};

/** An agent with a script under way. */
async function givenBusyAgent(settings: Readonly<Record<string, string>> = {}): Promise<Busy> {
  const runner = await fleet.addRunner();
  const agent = await startTestAgent({ url: fleet.broker.url, token: runner.token }, settings);
  const held = heldScript(await testDataDir());
  const jobId = await runner.enqueue(held.job);
  await running(runner, jobId);
  return { runner, agent, jobId, held };
}

async function running(runner: TestRunner, jobId: string): Promise<void> {
  await until(async () => (await runner.job(jobId)).executions[0]?.status === "in-progress");
}

async function processStatus({ runner, agent }: Pick<Busy, "runner" | "agent">): Promise<unknown> {
  const path = `/v1/runners/${runner.runnerId}/processes/${agent.processId()}`;
  const { body } = await fleet.broker.call<{ composite_status: { status: string } }>(
    `GET ${path}`,
    { token: runner.operatorToken },
  );
  return body.composite_status.status;
}

describe("a graceful shutdown", () => {
  test("lets what runs finish, takes nothing new, and ends with 0", async () => {
    const busy = await givenBusyAgent();
    const { runner, agent, jobId, held } = busy;
    await runner.operate(`POST /v1/runners/${runner.runnerId}/graceful-shutdown`);
    await until(() => agent.status().urgency === "draining");
    const later = await runner.enqueue();
    await until(async () => (await processStatus(busy)) === "pending-shutdown");
    await held.release();
    expect(await agent.gone).toBe(0);
    expect((await runner.job(jobId)).status).toBe("finished");
    expect((await runner.job(later)).status).toBe("queued");
    expect(await processStatus(busy)).toBe("shut-down");
    const shutdowns = await fleet.db`select status from runner_process_shutdowns
                                      where runner_process_id = ${agent.processId()}`;
    expect(shutdowns.map(({ status }) => status as string)).toEqual(["completed"]);
  });

  test("stops what runs at its deadline", async () => {
    const { runner, agent, jobId } = await givenBusyAgent();
    const shutdown = `POST /v1/runners/${runner.runnerId}/graceful-shutdown`;
    await runner.operate(shutdown, { deadline: "1s" });
    expect(await agent.gone).toBe(0);
    expect((await runner.job(jobId)).status).toBe("failed");
  });

  test("as a restart ends with 75", async () => {
    const { runner, agent, jobId, held } = await givenBusyAgent();
    await runner.operate(`POST /v1/runners/${runner.runnerId}/restart`);
    await until(() => agent.status().urgency === "draining");
    await held.release();
    expect(await agent.gone).toBe(75);
    expect((await runner.job(jobId)).status).toBe("finished");
  });
});

describe("force", () => {
  test("kills what runs; the job failed, and the agent ends with 131", async () => {
    const { runner, agent, jobId } = await givenBusyAgent();
    await runner.operate(`POST /v1/runners/${runner.runnerId}/force-shutdown`);
    expect(await agent.gone).toBe(131);
    const job = await runner.became(jobId, "failed");
    expect(job.status_description).toContain("shut down by an operator");
    expect(job.status_description).not.toContain("SIGTERM"); // it was not asked before
  });
});

describe("SIGTERM", () => {
  test("once lets what runs finish", async () => {
    const { runner, agent, jobId, held } = await givenBusyAgent();
    agent.signal("SIGTERM");
    await held.release();
    expect(await agent.gone).toBe(0);
    expect((await runner.job(jobId)).status).toBe("finished");
  });

  test("twice stops it and says so; 143", async () => {
    const { runner, agent, jobId } = await givenBusyAgent();
    agent.signal("SIGTERM");
    agent.signal("SIGTERM");
    expect(await agent.gone).toBe(143);
    const job = await runner.job(jobId);
    expect(job).toMatchObject({ status: "cancelled", executions: [{ status: "cancelled" }] });
  });

  test("thrice kills it; 131, and the job still has one end", async () => {
    const { runner, agent, jobId } = await givenBusyAgent();
    for (let nth = 0; nth < 3; nth++) agent.signal("SIGTERM");
    expect(await agent.gone).toBe(131);
    // Whatever could not be sent in its hurry, the next start sends.
    const { dataDir } = agent;
    await startTestAgent({ url: fleet.broker.url, token: runner.token, dataDir });
    expect(await runner.became(jobId, "cancelled")).toMatchObject({ executions: [{}] });
  });

  test("stops it at once where the host waits for seconds only", async () => {
    const { runner, agent, jobId } = await givenBusyAgent({ "on-sigterm": "cancel" });
    agent.signal("SIGTERM");
    expect(await agent.gone).toBe(143);
    expect((await runner.job(jobId)).status).toBe("cancelled");
  });

  test("stops what runs when the time to finish is over", async () => {
    const { runner, agent, jobId } = await givenBusyAgent({ "drain-timeout": "200ms" });
    agent.signal("SIGTERM");
    expect(await agent.gone).toBe(0);
    expect((await runner.job(jobId)).status).toBe("cancelled");
  });
});

test("a job that comes in the instant of going down is given back", async () => {
  const runner = await fleet.addRunner();
  const proxy = await faultProxy(fleet.broker.url);
  // What runs keeps it going down, and the claim that is begun when it runs is the one whose answer is lost.
  const lost = proxy.fail(
    ({ path: at, body }) => isClaim(at) && !asksFor(body, "actions"),
    "reset",
    1,
  );
  const given = { url: proxy.url, token: runner.token };
  const agent = await startTestAgent(given, { "claim-wait": "25s" });
  const held = heldScript(await testDataDir());
  await running(runner, await runner.enqueue(held.job));
  await until(() => lost.hits() > 0);
  const refused = proxy.fail("POST /jobs/claim", "500"); // it does not hear of the job until it goes down
  const jobId = await runner.enqueue();
  await until(async () => (await runner.job(jobId)).executions.length === 1);
  await until(() => refused.hits() > 1); // it repeats the claim, and begins no other that ends it at the broker
  agent.signal("SIGTERM");
  await until(async () => (await processStatus({ runner, agent })) === "pending-shutdown");
  proxy.mend();
  await until(() => proxy.seen("POST /give-back").some(({ end }) => end !== undefined));
  await held.release();
  expect(await agent.gone).toBe(0);
  const { status, executions } = await runner.job(jobId);
  expect({ status, executions }).toMatchObject({
    status: "queued",
    executions: [{ status: "not-attempted" }],
  });
  expect(proxy.seen("POST /give-back").map(({ end }) => end)).toEqual([200]);
});

const isClaim = (path: string): boolean => path.endsWith("/jobs/claim");
const asksFor = (body: Buffer, group: string): boolean =>
  Object.hasOwn((JSON.parse(body.toString()) as { groups: object }).groups, group);

test("results that the broker could not take are sent by the next start", async () => {
  const runner = await fleet.addRunner();
  const proxy = await faultProxy(fleet.broker.url);
  const given = { url: proxy.url, token: runner.token };
  const agent = await startTestAgent(given, { "flush-timeout": "100ms" });
  proxy.fail("POST /finish", "500");
  const jobId = await runner.enqueue();
  await until(() => agent.status().waiting.results === 1);
  agent.signal("SIGTERM");
  expect(await agent.gone).toBe(0);
  const kept = await readFile(path.join(agent.dataDir, "process.json"), "utf8");
  expect(kept).toContain(agent.processId());
  expect((await runner.job(jobId)).status).toBe("in-progress");
  proxy.mend();
  await startTestAgent({ ...given, dataDir: agent.dataDir });
  await runner.became(jobId, "finished");
});
