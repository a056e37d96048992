import { afterEach, describe, expect, test } from "vitest";
import { startBroker } from "../../support/broker/broker.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";
import { expectSoundSignals } from "../../support/queues/expect-sound-signals.ts";
import { emitterOf, givenEmitter } from "../../support/queues/given-emitters.ts";
import { givenQueue, givenSignal, signalStatus } from "../../support/queues/given-signals.ts";
import { aCallback, endOfSignal, givenTurn, givenTurns } from "../../support/queues/given-turns.ts";
import { startReceiver } from "../../support/queues/start-receiver.ts";
import { givenJob, givenRunner } from "../../support/rows/given.ts";
import { jobState } from "../../support/rows/job-state.ts";

const { db, url } = await testDatabase();
const { broker, logged } = await startBroker({ url });
const { seals } = broker;

afterEach(async () => {
  await expectSoundSignals(db);
  await expectNoFailedTasks();
});

async function expectNoFailedTasks(): Promise<void> {
  const failed =
    await db`select 1 from graphile_worker._private_jobs where attempts >= max_attempts`;
  expect(failed).toEqual([]);
}

type Members = Readonly<Record<string, unknown>>;

async function runs(type: string, contents: Members, members: Members = {}) {
  const queue = await givenQueue(db);
  const id = await givenTurn(db, seals, { queue, type, contents, members });
  return { queue, id };
}

const ended = async (id: string) => {
  await expect.poll(async () => await endOfSignal(db, seals, id)).toBeDefined();
  return await endOfSignal(db, seals, id);
};

describe("a turn", () => {
  test("of a noop finishes, and the next one has its turn", async () => {
    const { queue, id } = await runs("noop", {});
    const next = await givenTurn(db, seals, { queue, type: "noop", contents: {} });
    expect(await ended(id)).toMatchObject({ status: "finished", executions: 1 });
    expect(await ended(next)).toMatchObject({ status: "finished" });
  });

  test("of contents that do not fit, or of a type that no broker executes, ends at once as dead", async () => {
    const { id } = await runs("http-call", { url: "ftp://example.com/secret" });
    expect(await ended(id)).toMatchObject({ status: "dead", executions: 1 });
    expect((await ended(id))?.description).toContain("url");
    expect((await ended(id))?.description).not.toContain("secret");
    const { id: other } = await runs("workflow", {});
    expect((await ended(other))?.description).toContain("workflow");
  });

  test("of a flush ends the jobs that wait for a runner", async () => {
    const runner = await givenRunner(db);
    const jobId = await givenJob(db, runner);
    const queue = await givenQueue(db, { orgId: runner.orgId });
    const contents = { runner_id: runner.runnerId };
    const id = await givenTurn(db, seals, { queue, type: "flush", contents });
    expect(await ended(id)).toMatchObject({ status: "finished", result: { flushed: 1 } });
    expect((await jobState(db, jobId)).status).toBe("not-attempted");
  });

  test("of a flush cancels the signals that wait in a queue of its org, and in no other's", async () => {
    const queue = await givenQueue(db);
    const target = await givenQueue(db, { orgId: queue.orgId });
    const waiting = await givenSignal(db, target);
    const foreign = await givenQueue(db);
    const safe = await givenSignal(db, foreign);
    const flush = (queueId: string) =>
      givenTurn(db, seals, { queue, type: "flush", contents: { queue_id: queueId } });
    const mine = await ended(await flush(target.queueId));
    expect(mine).toMatchObject({ status: "finished", result: { flushed: 1 } });
    expect(await ended(await flush(foreign.queueId))).toMatchObject({ status: "dead" });
    const both = [await signalStatus(db, waiting), await signalStatus(db, safe)];
    expect(both).toEqual(["cancelled", "queued"]);
  });

  test("of an emitter-stop pauses an emitter, that of an emitter-start resumes it", async () => {
    const queue = await givenQueue(db);
    const emitterId = await givenEmitter(db, queue);
    const turn = (type: string, emitter_id = emitterId) =>
      givenTurn(db, seals, { queue, type, contents: { emitter_id } });
    expect(await ended(await turn("emitter-stop"))).toMatchObject({ status: "finished" });
    expect((await emitterOf(db, emitterId)).status).toBe("paused");
    expect(await ended(await turn("emitter-start"))).toMatchObject({ status: "finished" });
    expect((await emitterOf(db, emitterId)).status).toBe("active");
    const nobody = `emt_${"0".repeat(26)}`;
    expect(await ended(await turn("emitter-stop", nobody))).toMatchObject({ status: "dead" });
  });
});

describe("a turn that calls", () => {
  test("sends what it was told, signed, and keeps the beginning of the answer as its sealed result", async () => {
    const receiver = await startReceiver({
      "/hook": () => ({ status: 201, body: "x".repeat(10_000) }),
    });
    const { id } = await runs("http-call", {
      url: `${receiver.url}/hook`,
      method: "PUT",
      headers: { "x-mine": "1" },
      body: { a: 1 },
      secret: "0123456789abcdef",
    });
    expect(await ended(id)).toMatchObject({
      status: "finished",
      result: { status: 201, body: "x".repeat(4096), is_whole: false },
    });
    const [call] = receiver.received;
    expect(call).toMatchObject({ method: "PUT", body: '{"a":1}' });
    expect(call?.headers).toMatchObject({ "x-mine": "1", "webhook-id": id });
    expect(call?.headers["x-svc-signature"]).toMatch(/^[0-9a-f]{64}$/);
    const [row] = await db<{ result: Buffer }[]>`
      select result from queue_signal_ends where signal_id = ${id}`;
    expect(row?.result.includes("xxxx")).toBe(false);
    expect(logged.join("\n")).not.toContain("0123456789abcdef");
  });

  test.each([400, 404, 410])("is not tried again after %i", async (status) => {
    const receiver = await startReceiver({ "/": () => ({ status }) });
    const { id } = await runs("http-call", { url: `${receiver.url}/` });
    expect(await ended(id)).toMatchObject({ status: "dead", executions: 1, result: { status } });
    expect(receiver.received).toHaveLength(1);
  });

  test.each([408, 425, 429, 500, 503])(
    "is tried again after %i, to the end of its executions",
    async (status) => {
      const receiver = await startReceiver({ "/": () => ({ status }) });
      const { id } = await runs("http-call", { url: `${receiver.url}/` }, { max_executions: 2 });
      await expect.poll(() => signalStatus(db, id)).toBe("retrying");
      await advanceClock(db, "10 s");
      expect(await ended(id)).toMatchObject({ status: "dead", executions: 2 });
      expect(receiver.received).toHaveLength(2);
    },
  );

  test("waits as long as the receiver asks for", async () => {
    const receiver = await startReceiver({
      "/": (nth) =>
        nth === 1 ? { status: 503, headers: { "retry-after": "600" } } : { status: 200 },
    });
    const { id } = await runs("http-call", { url: `${receiver.url}/` });
    await expect.poll(() => signalStatus(db, id)).toBe("retrying");
    await advanceClock(db, "590 s");
    await db`select sweep_signals(100)`;
    expect(await signalStatus(db, id)).toBe("retrying");
    await advanceClock(db, "11 s");
    expect(await ended(id)).toMatchObject({ status: "finished", executions: 2 });
  });

  test("does not hold up other orgs, nor its org's other types, however many wait for a slow receiver", async () => {
    const held = Promise.withResolvers<{ status: number }>();
    const receiver = await startReceiver({ "/slow": () => held.promise });
    const slow = await givenQueue(db, { maxInFlight: 1000, maxDepth: 5000 });
    const contents = { url: `${receiver.url}/slow`, timeout: "2m" };
    await givenTurns(db, seals, { queue: slow, type: "http-call", contents, count: 1000 });
    await expect.poll(() => receiver.received.length).toBeGreaterThan(0);
    const { id } = await runs("noop", {});
    expect(await ended(id)).toMatchObject({ status: "finished", executions: 1 });
    const own = await givenQueue(db, { orgId: slow.orgId });
    const mine = await givenTurn(db, seals, { queue: own, type: "noop", contents: {} });
    expect(await ended(mine)).toMatchObject({ status: "finished" });
    const counted = await db`
      select max(execution_count) as most from queue_signal_live where queue_id = ${slow.queueId}`;
    expect(counted).toEqual([{ most: 1 }]);
    await db`select purge_queue(${slow.orgId}, ${slow.queueId}, true, 'enough', 5000)`;
    held.resolve({ status: 200 });
  });
});

describe("a callback", () => {
  test("by HTTP tells the end of its signal, signed, and is done", async () => {
    const receiver = await startReceiver({ "/": (nth) => ({ status: nth === 1 ? 500 : 204 }) });
    const queue = await givenQueue(db);
    const contents = { url: `${receiver.url}/`, secret: "0123456789abcdef", body: { mine: 1 } };
    const callbacks = [aCallback(seals, queue, { kind: "http-call", contents })];
    const id = await givenTurn(db, seals, {
      queue,
      type: "noop",
      contents: {},
      members: { callbacks, owner_id: "ins_1", context: { request: "42" } },
    });
    await ended(id);
    const state = async () =>
      (
        await db<{ status: string; tries: number }[]>`
          select status, tries from queue_signal_callbacks where signal_id = ${id}`
      )[0];
    await expect.poll(() => receiver.received.length).toBe(1);
    await expect.poll(async () => (await state())?.tries).toBe(1);
    await expect
      .poll(async () => {
        await advanceClock(db, "11 s");
        return await state();
      })
      .toEqual({ status: "done", tries: 2 });
    const [first, second] = receiver.received.map(({ body }) => JSON.parse(body) as unknown);
    expect(second).toEqual(first);
    expect(first).toMatchObject({
      signal: {
        id,
        type: "noop",
        queue_id: queue.queueId,
        owner_id: "ins_1",
        signal_context: { awaited_by: null, scheduled_for: null, values: { request: "42" } },
      },
      status: "finished",
      result: null,
      data: { mine: 1 },
    });
    expect(receiver.received[0]?.headers["x-svc-signature"]).toMatch(/^[0-9a-f]{64}$/);
  });

  test("that is a runner job is enqueued once, and knows the signal; for a runner that is gone it fails with the reason", async () => {
    const runner = await givenRunner(db);
    const queue = await givenQueue(db, { orgId: runner.orgId });
    const callback = (runnerId: string, n: number) => ({
      ...aCallback(seals, queue, {
        kind: "runner-job",
        contents: { runner_id: runnerId, type: "noop-deploy", metadata: { mine: "1" } },
      }),
      n,
    });
    const callbacks = [callback(runner.runnerId, 1), callback(`run_${"0".repeat(26)}`, 2)];
    const id = await givenTurn(db, seals, {
      queue,
      type: "noop",
      contents: {},
      members: { callbacks },
    });
    const states = async () =>
      await db`select n, status, status_description as why from queue_signal_callbacks where signal_id = ${id} order by n`;
    await expect
      .poll(async () => (await states()).map(({ status }) => status as string))
      .toEqual(["done", "failed"]);
    expect((await states())[1]?.["why"]).toContain("runner_not_found");
    const jobs = await db`select metadata from runner_jobs where runner_id = ${runner.runnerId}`;
    expect(jobs).toEqual([{ metadata: { mine: "1", signal_id: id, signal_status: "finished" } }]);
  });
});
