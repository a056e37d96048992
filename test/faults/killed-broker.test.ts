import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type BrokerProcess, startBrokerProcess } from "../support/broker/broker-process.ts";
import { send } from "../support/broker/broker.ts";
import { until } from "../support/broker/given-polling.ts";
import { type ClaimedJob, type HttpAgent, httpAgent } from "../support/broker/http-agent.ts";
import { advanceClock } from "../support/database/clock.ts";
import { testDatabase } from "../support/database/database.ts";
import { expectSoundQueues } from "../support/database/expect-sound-queues.ts";
import { expectEndedOnce } from "../support/model/expect-ended-once.ts";
import { startLoad } from "../support/model/start-load.ts";
import { rawRequest } from "../support/network/raw-request.ts";
import { givenToken } from "../support/rows/given-token.ts";
import { givenJob, givenProcess, givenRunner } from "../support/rows/given.ts";
import { jobState } from "../support/rows/job-state.ts";

const { db, url } = await testDatabase();
let living: BrokerProcess;
beforeAll(async () => {
  living = await startBrokerProcess(url);
});
afterAll(async () => {
  await living.kill();
});
const hugePlan = JSON.stringify({ filling: "x".repeat(12_000_000) });

async function start(): Promise<BrokerProcess> {
  const broker = await startBrokerProcess(url);
  onTestFinished(() => broker.kill());
  return broker;
}

/** A broker to be killed, besides the one that goes on; and an agent that can speak to either. */
async function setup() {
  const dying = await start();
  const runner = await givenRunner(db);
  const processId = await givenProcess(db, runner);
  const token = await givenToken(db, runner);
  const admin = await givenToken(db, { orgId: runner.orgId });
  const speak = (broker: BrokerProcess) => (what: string, call?: object) =>
    send<never>(broker.url, what, call);
  const agentAt = (broker: BrokerProcess) =>
    httpAgent(speak(broker), { ...runner, processId, token });
  const enqueue = (broker: BrokerProcess, key: string) =>
    send<{ id: string }>(broker.url, `POST /v1/runners/${runner.runnerId}/jobs`, {
      token: admin,
      body: { type: "noop-deploy" },
      headers: { "idempotency-key": key },
    });
  return { dying, runner, processId, token, agentAt, enqueue };
}

async function takes(agent: HttpAgent, poll_id: string): Promise<ClaimedJob> {
  const [claimed] = (await agent.claim({ poll_id, wait: "10s" })).body.jobs;
  if (claimed === undefined) throw new Error("nothing was claimed");
  return claimed;
}

async function works(agent: HttpAgent, claimed: ClaimedJob): Promise<void> {
  expect((await agent.report(claimed, "in-progress")).status).toBe(200);
  expect((await agent.finish(claimed)).status).toBe(200);
  const state = await jobState(db, claimed.job.id);
  expect(state.status).toBe("finished");
  expect(state.events.filter((event) => event === "finish")).toHaveLength(1);
  await expectSoundQueues(db);
}

test("a broker killed while it enqueues leaves one job, whether its answer arrived or not", async () => {
  const { dying, runner, enqueue, agentAt } = await setup();
  const key = randomUUID();
  const asked = enqueue(dying, key).catch(() => undefined);
  await dying.kill();
  await asked;
  const { status, body } = await enqueue(living, key);
  expect(status).toBe(201);
  const jobs = await db`select from runner_jobs where runner_id = ${runner.runnerId}`;
  expect(jobs).toHaveLength(1);
  const claimed = await takes(agentAt(living), "p1");
  expect(claimed.job.id).toBe(body.id);
  await works(agentAt(living), claimed);
});

test("a broker killed with polls parked loses nobody his job: he asks the next one", async () => {
  const { dying, agentAt, enqueue } = await setup();
  const broken = agentAt(dying).claim({ poll_id: "p1", wait: "25s" });
  await Promise.all([expect(broken).rejects.toThrow(), dying.kill()]);
  await enqueue(living, randomUUID());
  await works(agentAt(living), await takes(agentAt(living), "p1"));
});

test("a broker killed between a claim and its answer: the same poll_id gets the same execution elsewhere", async () => {
  const { dying, runner, processId, token, agentAt } = await setup();
  const jobId = await givenJob(db, runner, { plan: hugePlan });
  const body = { process_id: processId, poll_id: "p1", groups: { deploy: 1 } };
  const path = `POST /v1/runners/${runner.runnerId}/jobs/claim`;
  const socket = await rawRequest(dying.url, path, { token, body });
  socket.pause();
  await until(async () => (await jobState(db, jobId)).status === "in-progress");
  await dying.kill();
  await works(agentAt(living), await takes(agentAt(living), "p1"));
  expect((await jobState(db, jobId)).execution_count).toBe(1);
});

test("a broker killed between a claim and its answer: nobody asks again, and it comes back by its clock", async () => {
  const { dying, runner, processId, token, agentAt } = await setup();
  const jobId = await givenJob(db, runner, { plan: hugePlan });
  const body = { process_id: processId, poll_id: "p1", groups: { deploy: 1 } };
  const path = `POST /v1/runners/${runner.runnerId}/jobs/claim`;
  const socket = await rawRequest(dying.url, path, { token, body });
  socket.pause();
  await until(async () => (await jobState(db, jobId)).status === "in-progress");
  await dying.kill();
  const next = agentAt(living).claim({ poll_id: "p2", wait: "20s" });
  await advanceClock(db, "31 s");
  const [claimed] = (await next).body.jobs;
  if (claimed === undefined) throw new Error("it did not come back");
  await works(agentAt(living), claimed);
  expect((await jobState(db, jobId)).events).toContain("return");
});

test("a broker killed while a first report is under way: the same report elsewhere is taken, once", async () => {
  const { dying, agentAt, enqueue } = await setup();
  await enqueue(living, randomUUID());
  const claimed = await takes(agentAt(dying), "p1");
  const broken = agentAt(dying)
    .report(claimed, "in-progress")
    .catch(() => undefined);
  await dying.kill();
  await broken;
  await works(agentAt(living), claimed);
});

test("a broker killed after a first report is not missed by the one who works", async () => {
  const { dying, agentAt, enqueue } = await setup();
  await enqueue(dying, randomUUID());
  const claimed = await takes(agentAt(dying), "p1");
  expect((await agentAt(dying).report(claimed, "in-progress")).status).toBe(200);
  await dying.kill();
  await works(agentAt(living), claimed);
});

test("a broker killed in the middle of a finish: the same finish elsewhere ends the job, once", async () => {
  const { dying, agentAt, enqueue } = await setup();
  await enqueue(dying, randomUUID());
  const claimed = await takes(agentAt(dying), "p1");
  await agentAt(dying).report(claimed, "in-progress");
  const broken = agentAt(dying)
    .finish(claimed)
    .catch(() => undefined);
  await dying.kill();
  await broken;
  expect((await agentAt(living).finish(claimed)).status).toBe(200);
  const state = await jobState(db, claimed.job.id);
  expect(state.events.filter((event) => event === "finish")).toHaveLength(1);
  await expectSoundQueues(db);
});

test("a broker asked to go answers its polls and exits in order", async () => {
  const { dying, processId, agentAt, enqueue } = await setup();
  const seenAt = async (): Promise<string | undefined> => {
    const [row] = await db<{ at: string }[]>`
      select last_seen_at::text as at from runner_process_beats where process_id = ${processId}`;
    return row?.at;
  };
  const before = await seenAt();
  const parked = agentAt(dying).claim({ poll_id: "p1", wait: "25s" });
  await until(async () => (await seenAt()) !== before); // the broker has the claim, a sign of life
  const [code, answer] = await Promise.all([dying.terminate(), parked]);
  expect(code).toBe(0);
  expect(answer.body.jobs).toEqual([]);
  await enqueue(living, randomUUID());
  await works(agentAt(living), await takes(agentAt(living), "p1"));
});

test("brokers killed one after the other under load: every job is begun once and ends once", async () => {
  const runner = await givenRunner(db, { parallelism: { deploy: 8 } });
  const processIds: string[] = [];
  for (let nth = 0; nth < 8; nth += 1) processIds.push(await givenProcess(db, runner));
  const brokers = await Promise.all([start(), start()]);
  const load = startLoad({
    urls: () => brokers.map((broker) => broker.url),
    runnerId: runner.runnerId,
    admin: await givenToken(db, { orgId: runner.orgId }),
    token: await givenToken(db, runner),
    processIds,
  });
  for (let kills = 1; kills <= 4; kills += 1) {
    await until(() => load.finished.size >= kills * 25);
    const nth = kills % 2;
    await brokers[nth]?.kill();
    brokers[nth] = await start();
  }
  await load.drain();
  await expectEndedOnce(db, runner.runnerId, load);
});
