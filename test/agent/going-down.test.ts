import { readFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type HeldScript, heldScript } from "../support/agent/held-script.ts";
import { startTestAgent, type TestAgent, testDataDir } from "../support/agent/start-test-agent.ts";
import { type Fleet, givenFleet, type Seat } from "../support/broker/given-fleet.ts";
import { until } from "../support/broker/given-polling.ts";
import { faultProxy } from "../support/network/fault-proxy.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

type Busy = {
  readonly seat: Seat;
  readonly agent: TestAgent;
  readonly jobId: string;
  readonly held: HeldScript;
};

/** An agent with a script under way. */
async function givenBusyAgent(settings: Readonly<Record<string, string>> = {}): Promise<Busy> {
  const seat = await fleet.seat();
  const agent = await startTestAgent({ url: fleet.broker.url, token: seat.token }, settings);
  const held = heldScript(await testDataDir());
  const jobId = await seat.enqueue(held.job);
  await running(seat, jobId);
  return { seat, agent, jobId, held };
}

async function running(seat: Seat, jobId: string): Promise<void> {
  await until(async () => (await seat.job(jobId)).executions[0]?.status === "in-progress");
}

async function processStatus({ seat, agent }: Pick<Busy, "seat" | "agent">): Promise<unknown> {
  const path = `/v1/runners/${seat.runner.runnerId}/processes/${agent.processId()}`;
  const { body } = await fleet.broker.call<{ composite_status: { status: string } }>(
    `GET ${path}`,
    { token: seat.operatorToken },
  );
  return body.composite_status.status;
}

describe("a graceful shutdown", { timeout: 180_000 }, () => {
  test("lets what runs finish, takes nothing new, and ends with 0", async () => {
    const busy = await givenBusyAgent();
    const { seat, agent, jobId, held } = busy;
    await seat.operate(`POST /v1/runners/${seat.runner.runnerId}/graceful-shutdown`);
    await until(() => agent.status().urgency === "draining");
    const later = await seat.enqueue();
    await until(async () => (await processStatus(busy)) === "pending-shutdown");
    await held.release();
    expect(await agent.gone).toBe(0);
    expect((await seat.job(jobId)).status).toBe("finished");
    expect((await seat.job(later)).status).toBe("queued");
    expect(await processStatus(busy)).toBe("shut-down");
    const shutdowns = await fleet.db`select status from runner_process_shutdowns
                                      where runner_process_id = ${agent.processId()}`;
    expect(shutdowns.map(({ status }) => status as string)).toEqual(["completed"]);
  });

  test("stops what runs at its deadline", async () => {
    const { seat, agent, jobId } = await givenBusyAgent();
    const shutdown = `POST /v1/runners/${seat.runner.runnerId}/graceful-shutdown`;
    await seat.operate(shutdown, { deadline: "1s" });
    expect(await agent.gone).toBe(0);
    expect((await seat.job(jobId)).status).toBe("failed");
  });

  test("as a restart ends with 75", async () => {
    const { seat, agent, jobId, held } = await givenBusyAgent();
    await seat.operate(`POST /v1/runners/${seat.runner.runnerId}/restart`);
    await until(() => agent.status().urgency === "draining");
    await held.release();
    expect(await agent.gone).toBe(75);
    expect((await seat.job(jobId)).status).toBe("finished");
  });
});

describe("force", { timeout: 180_000 }, () => {
  test("kills what runs; the job failed, and the agent ends with 131", async () => {
    const { seat, agent, jobId } = await givenBusyAgent();
    await seat.operate(`POST /v1/runners/${seat.runner.runnerId}/force-shutdown`);
    expect(await agent.gone).toBe(131);
    const job = await seat.became(jobId, "failed");
    expect(job.status_description).toContain("shut down by an operator");
    expect(job.status_description).not.toContain("SIGTERM"); // it was not asked before
  });
});

describe("SIGTERM", { timeout: 180_000 }, () => {
  test("once lets what runs finish", async () => {
    const { seat, agent, jobId, held } = await givenBusyAgent();
    agent.signal("SIGTERM");
    await held.release();
    expect(await agent.gone).toBe(0);
    expect((await seat.job(jobId)).status).toBe("finished");
  });

  test("twice stops it and says so; 143", async () => {
    const { seat, agent, jobId } = await givenBusyAgent();
    agent.signal("SIGTERM");
    agent.signal("SIGTERM");
    expect(await agent.gone).toBe(143);
    const job = await seat.job(jobId);
    expect(job).toMatchObject({ status: "cancelled", executions: [{ status: "cancelled" }] });
  });

  test("thrice kills it; 131, and the job still has one end", async () => {
    const { seat, agent, jobId } = await givenBusyAgent();
    for (let nth = 0; nth < 3; nth++) agent.signal("SIGTERM");
    expect(await agent.gone).toBe(131);
    // Whatever could not be sent in its hurry, the next start sends.
    const { dataDir } = agent;
    await startTestAgent({ url: fleet.broker.url, token: seat.token, dataDir });
    expect(await seat.became(jobId, "cancelled")).toMatchObject({ executions: [{}] });
  });

  test("stops it at once where the host waits for seconds only", async () => {
    const { seat, agent, jobId } = await givenBusyAgent({ "on-sigterm": "cancel" });
    agent.signal("SIGTERM");
    expect(await agent.gone).toBe(143);
    expect((await seat.job(jobId)).status).toBe("cancelled");
  });

  test("stops what runs when the time to finish is over", async () => {
    const { seat, agent, jobId } = await givenBusyAgent({ "drain-timeout": "200ms" });
    agent.signal("SIGTERM");
    expect(await agent.gone).toBe(0);
    expect((await seat.job(jobId)).status).toBe("cancelled");
  });
});

test("a job that comes in the instant of going down is given back", async () => {
  const seat = await fleet.seat();
  const proxy = await faultProxy(fleet.broker.url);
  // What runs keeps it going down, and the claim that is begun when it runs is the one whose answer is lost.
  const lost = proxy.fail(
    ({ path: at, body }) => isClaim(at) && !asksFor(body, "actions"),
    "reset",
    1,
  );
  const given = { url: proxy.url, token: seat.token };
  const agent = await startTestAgent(given, { "claim-wait": "25s" });
  const held = heldScript(await testDataDir());
  await running(seat, await seat.enqueue(held.job));
  await until(() => lost.hits() > 0);
  const refused = proxy.fail("POST /jobs/claim", "500"); // it does not hear of the job until it goes down
  const jobId = await seat.enqueue();
  await until(async () => (await seat.job(jobId)).executions.length === 1);
  await until(() => refused.hits() > 1); // it repeats the claim, and begins no other that ends it at the broker
  agent.signal("SIGTERM");
  await until(async () => (await processStatus({ seat, agent })) === "pending-shutdown");
  proxy.mend();
  await until(() => proxy.seen("POST /give-back").some(({ end }) => end !== undefined));
  await held.release();
  expect(await agent.gone).toBe(0);
  const { status, executions } = await seat.job(jobId);
  expect({ status, executions }).toMatchObject({
    status: "queued",
    executions: [{ status: "not-attempted" }],
  });
  expect(proxy.seen("POST /give-back").map(({ end }) => end)).toEqual([200]);
}, 180_000);

const isClaim = (path: string): boolean => path.endsWith("/jobs/claim");
const asksFor = (body: Buffer, group: string): boolean =>
  Object.hasOwn((JSON.parse(body.toString()) as { groups: object }).groups, group);

test("results that the broker could not take are sent by the next start", async () => {
  const seat = await fleet.seat();
  const proxy = await faultProxy(fleet.broker.url);
  const given = { url: proxy.url, token: seat.token };
  const agent = await startTestAgent(given, { "flush-timeout": "100ms" });
  proxy.fail("POST /finish", "500");
  const jobId = await seat.enqueue();
  await until(() => agent.status().waiting.results === 1);
  agent.signal("SIGTERM");
  expect(await agent.gone).toBe(0);
  const kept = await readFile(path.join(agent.dataDir, "process.json"), "utf8");
  expect(kept).toContain(agent.processId());
  expect((await seat.job(jobId)).status).toBe("in-progress");
  proxy.mend();
  await startTestAgent({ ...given, dataDir: agent.dataDir });
  await seat.became(jobId, "finished");
}, 180_000);
