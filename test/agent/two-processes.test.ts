import { beforeAll, expect, test } from "vitest";
import type { ProcessShutdown } from "../../shared/api/runner-process-shutdown.ts";
import { heldScript } from "../support/agent/held-script.ts";
import { startTestAgent, type TestAgent, testDataDir } from "../support/agent/start-test-agent.ts";
import { type Fleet, givenFleet, type TestRunner } from "../support/broker/given-fleet.ts";
import { until } from "../support/broker/given-polling.ts";
import { givenToken } from "../support/rows/given-token.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

type Scene = {
  readonly runner: TestRunner;
  /** One that runs a script, and one that waits for jobs. */
  readonly busy: TestAgent;
  readonly idle: TestAgent;
  readonly held: ReturnType<typeof heldScript>;
  readonly jobId: string;
  readonly order: (what: string, body?: object) => Promise<ProcessShutdown[]>;
};

/** Two agents of one runner, of which one runs a script. */
async function setup(): Promise<Scene> {
  const runner = await fleet.addRunner({ parallelism: { actions: 2, operations: 2 } });
  const given = { url: fleet.broker.url, token: runner.token };
  const busy = await startTestAgent(given, { groups: "actions=1,operations=1" });
  const held = heldScript(await testDataDir());
  const jobId = await runner.enqueue(held.job);
  await until(async () => (await runner.job(jobId)).status === "in-progress");
  const idle = await startTestAgent(given, { groups: "actions=1,operations=1" });
  const order: Scene["order"] = async (what, body = {}) => {
    const path = `POST /v1/runners/${runner.runnerId}/${what}`;
    const answer = await fleet.broker.call<ProcessShutdown[] | ProcessShutdown>(path, {
      token: runner.operatorToken,
      body,
    });
    expect([200, 201]).toContain(answer.status);
    return [answer.body].flat();
  };
  return { runner, busy, idle, held, jobId, order };
}

/** What became of the orders to a process. */
async function ordersOf({ runner }: Scene, agent: TestAgent): Promise<unknown[]> {
  const path = `GET /v1/runners/${runner.runnerId}/processes/${agent.processId()}`;
  const { body } = await fleet.broker.call<{ shutdowns: ProcessShutdown[] }>(path, {
    token: runner.operatorToken,
  });
  return body.shutdowns.map(({ type, status }) => [type, status]);
}

test("a drain reaches both processes of a runner: the idle one goes at once, the other after its job", async () => {
  const scene = await setup();
  const { busy, held, idle, jobId, order, runner } = scene;
  expect(await order("graceful-shutdown", { reason: "a new disk" })).toHaveLength(2);
  expect(await idle.gone).toBe(0);
  expect((await runner.job(jobId)).status).toBe("in-progress");
  await until(async () => (await ordersOf(scene, busy)).join() === "graceful,in-progress");
  await held.release();
  expect(await busy.gone).toBe(0);
  expect((await runner.job(jobId)).status).toBe("finished");
  for (const agent of [busy, idle])
    expect(await ordersOf(scene, agent)).toEqual([["graceful", "completed"]]);
});

test("an order to one process leaves the other of its runner at work", async () => {
  const scene = await setup();
  const { busy, held, idle, jobId, order, runner } = scene;
  await order(`processes/${busy.processId()}/shutdown`, { shutdown_type: "restart" });
  await until(async () => (await ordersOf(scene, busy)).join() === "restart,in-progress");
  await runner.became(await runner.enqueue(), "finished"); // by the other one
  await held.release();
  expect(await busy.gone).toBe(75);
  expect((await runner.job(jobId)).status).toBe("finished");
  expect(await ordersOf(scene, idle)).toEqual([]);
  await runner.became(await runner.enqueue(), "finished");
});

test("a drain's deadline and force end what runs at the one that runs it, and both go", async () => {
  for (const [what, body, code] of [
    ["graceful-shutdown", { deadline: "1s" }, 0],
    ["force-shutdown", {}, 131],
  ] as const) {
    const { busy, idle, jobId, order, runner } = await setup();
    await order(what, body);
    expect(await idle.gone).toBe(code);
    await busy.gone;
    const { executions, status } = await runner.job(jobId);
    expect([status, executions.length]).toEqual(["failed", 1]);
  }
});

test("a second order takes the place of the first, and nothing that of force", async () => {
  const scene = await setup();
  const { busy, idle, order, runner } = scene;
  await order("graceful-shutdown");
  expect(await idle.gone).toBe(0);
  await order("restart");
  await until(async () => (await ordersOf(scene, busy)).flat().includes("cancelled"));
  await order("force-shutdown");
  const milder = await fleet.broker.call(`POST /v1/runners/${runner.runnerId}/restart`, {
    token: runner.operatorToken,
  });
  expect([409]).toContain(milder.status);
  expect(await busy.gone).toBe(131);
});

test("a later order with more time gives a running job more time", async () => {
  const scene = await setup();
  const { busy, held, idle, jobId, order, runner } = scene;
  const [first] = await order("graceful-shutdown", { deadline: "3s" });
  await idle.gone;
  await until(async () => (await ordersOf(scene, busy)).join() === "graceful,in-progress");
  await order("graceful-shutdown", { deadline: "10m" });
  await until(() => Date.now() > Date.parse(String(first?.deadline_at)) + 1_500);
  expect((await runner.job(jobId)).status).toBe("in-progress");
  await held.release();
  expect(await busy.gone).toBe(0);
  expect((await runner.job(jobId)).status).toBe("finished");
});

test("another org's operator orders nobody, and sees nobody", async () => {
  const { idle, held, jobId, runner } = await setup();
  const token = await givenToken(fleet.db, await fleet.addRunner());
  const operator = await givenToken(fleet.db, { orgId: (await fleet.addRunner()).orgId });
  const at = `/v1/runners/${runner.runnerId}`;
  for (const what of ["graceful-shutdown", "force-shutdown", "restart", "update-version"])
    expect((await fleet.broker.call(`POST ${at}/${what}`, { token: operator })).status).toBe(404);
  const one = `POST ${at}/processes/${idle.processId()}/shutdown`;
  expect((await fleet.broker.call(one, { token: operator })).status).toBe(404);
  expect((await fleet.broker.call(`POST ${at}/restart`, { token })).status).toBe(403);
  await held.release();
  await runner.became(jobId, "finished");
});
