import { afterEach, describe, expect, test } from "vitest";
import { startBroker } from "../../support/broker/broker.ts";
import { testDatabase } from "../../support/database/database.ts";
import { expectSoundSignals } from "../../support/queues/expect-sound-signals.ts";
import { type GivenQueue, givenQueue, givenSignal } from "../../support/queues/given-signals.ts";
import { aCallback, endOfSignal, givenTurn, givenTurns } from "../../support/queues/given-turns.ts";
import { startReceiver } from "../../support/queues/start-receiver.ts";
import { givenOrg } from "../../support/rows/given.ts";

const { db, url } = await testDatabase();
const { broker } = await startBroker({ url });
const { seals } = broker;

afterEach(() => expectSoundSignals(db));

const broad = { maxInFlight: 1000, maxDepth: 5000 };

const count = async (rows: PromiseLike<readonly { n: number }[]>): Promise<number> =>
  (await rows)[0]?.n ?? -1;
const backlogged = ({ orgId }: Pick<GivenQueue, "orgId">) =>
  count(db`select count(*)::int as n from turn_backlog where org_id = ${orgId}`);
const live = ({ orgId }: Pick<GivenQueue, "orgId">) =>
  count(db`select count(*)::int as n from queue_signal_live where org_id = ${orgId}`);
/** How many turns and callbacks were ever put in the backlog, and how many tasks there ever were. */
const everBacklogged = () =>
  count(db`select coalesce(pg_sequence_last_value('turn_backlog_n_seq'), 0)::int as n`);
const everTasks = () =>
  count(db`
    select coalesce(pg_sequence_last_value(pg_get_serial_sequence('graphile_worker._private_jobs', 'id')), 0)::int as n`);

/** So many turns of one org, in queues of five hundred. */
async function givenMany(
  orgId: GivenQueue["orgId"],
  turns: { type: string; contents: Readonly<Record<string, unknown>>; count: number },
): Promise<GivenQueue[]> {
  const queues: GivenQueue[] = [];
  for (let left = turns.count; left > 0; left -= 500) {
    const queue = await givenQueue(db, { orgId, ...broad });
    await givenTurns(db, seals, { ...turns, queue, count: Math.min(left, 500) });
    queues.push(queue);
  }
  return queues;
}

describe("turns of an org that are more than brokers have room for", () => {
  test("wait without tasks and are put off once, while a neighbour's turns, and the org's other types, have theirs at once", async () => {
    const held = Promise.withResolvers<{ status: number }>();
    const receiver = await startReceiver({ "/slow": () => held.promise });
    const orgId = await givenOrg(db);
    const [tasksBefore, before] = [await everTasks(), await everBacklogged()];
    const contents = { url: `${receiver.url}/slow`, timeout: "2m" };
    const queues = await givenMany(orgId, { type: "http-call", contents, count: 6000 });
    await expect.poll(() => receiver.received.length).toBeGreaterThan(0);
    const theirs = await givenQueue(db);
    const own = await givenQueue(db, { orgId });
    for (let at = 0; at < 10; at++) {
      for (const queue of [theirs, own]) {
        const id = await givenTurn(db, seals, { queue, type: "noop", contents: {} });
        await expect.poll(() => endOfSignal(db, seals, id)).toMatchObject({ executions: 1 });
      }
    }
    expect((await everTasks()) - tasksBefore).toBeLessThanOrEqual(100 + 20);
    expect((await everBacklogged()) - before).toBe(5900);
    expect(await live({ orgId })).toBe(6000);
    for (const { queueId } of queues)
      await db`select purge_queue(${orgId}, ${queueId}, true, 'enough', 5000)`;
    held.resolve({ status: 200 });
    await expect.poll(() => backlogged({ orgId })).toBe(0);
  });

  test("are executed once each, in the end", async () => {
    const receiver = await startReceiver();
    const orgId = await givenOrg(db);
    await givenMany(orgId, { type: "noop", contents: {}, count: 1500 });
    await givenMany(orgId, { type: "http-call", contents: { url: receiver.url }, count: 400 });
    expect(await backlogged({ orgId })).toBeGreaterThan(0);
    await expect.poll(() => live({ orgId })).toBe(0);
    const ends = await db`
      select e.status, e.execution_count as executions, count(*)::int as n from queue_signal_ends e
       where e.org_id = ${orgId} group by 1, 2`;
    expect(ends).toEqual([{ status: "finished", executions: 1, n: 1900 }]);
    const ids = receiver.received.map(({ headers }) => headers["webhook-id"]);
    expect(ids).toHaveLength(400);
    expect(new Set(ids).size).toBe(400);
    expect(await backlogged({ orgId })).toBe(0);
  });

  test("that are cancelled while they wait hold up none that come after them", async () => {
    const held = Promise.withResolvers<{ status: number }>();
    const receiver = await startReceiver({ "/slow": () => held.promise });
    const orgId = await givenOrg(db);
    const contents = { url: `${receiver.url}/slow`, timeout: "2m" };
    const [queue] = await givenMany(orgId, { type: "http-call", contents, count: 500 });
    if (queue === undefined) throw new Error("no queue was made");
    await expect.poll(() => backlogged(queue)).toBe(400);
    await db`select purge_queue(${orgId}, ${queue.queueId}, true, 'enough', 1000)`;
    const next = { queue, type: "http-call", contents: { url: receiver.url } };
    const id = await givenTurn(db, seals, next);
    held.resolve({ status: 200 });
    await expect.poll(() => endOfSignal(db, seals, id)).toMatchObject({ status: "finished" });
    expect(await backlogged(queue)).toBe(0);
  });
});

describe("callbacks of an org that are more than brokers have room for", () => {
  test("wait without tasks, and are made once each", async () => {
    const receiver = await startReceiver();
    const queue = await givenQueue(db, broad);
    const contents = { url: `${receiver.url}/` };
    await db`select set_queue_pause(${queue.orgId}, ${queue.queueId}, 'pause', '', null, 'acc_1')`;
    for (let at = 0; at < 300; at++) {
      const callbacks = [aCallback(seals, queue, { kind: "http-call", contents })];
      await givenSignal(db, queue, { callbacks });
    }
    const tasksBefore = await everTasks();
    await db`select purge_queue(${queue.orgId}, ${queue.queueId}, false, 'enough', 1000)`;
    expect((await everTasks()) - tasksBefore).toBe(100);
    const states = () => db`
      select status, tries, count(*)::int as n from queue_signal_callbacks where org_id = ${queue.orgId} group by 1, 2`;
    await expect.poll(states).toEqual([{ status: "done", tries: 1, n: 300 }]);
    expect(receiver.received).toHaveLength(300);
  });

  test("and one for which there is no room is no try: it is put off and made later", async () => {
    const held = Promise.withResolvers<{ status: number }>();
    const receiver = await startReceiver({ "/slow": () => held.promise });
    const queue = await givenQueue(db);
    const calls = Array.from({ length: 100 }, () =>
      broker.egress.callOut(queue.orgId, {
        url: `${receiver.url}/slow`,
        method: "GET",
        timeoutMs: 60_000,
      }),
    );
    const callbacks = [
      aCallback(seals, queue, { kind: "http-call", contents: { url: `${receiver.url}/` } }),
    ];
    const id = await givenSignal(db, queue, { callbacks });
    await db`select cancel_signals(${queue.orgId}, ${[id]}, 'to call back')`;
    const state = async () =>
      (
        await db`select status, tries, begins from queue_signal_callbacks where signal_id = ${id}`
      )[0];
    await expect.poll(state).toEqual({ status: "pending", tries: 0, begins: 1 });
    held.resolve({ status: 200 });
    await Promise.all(calls);
    await expect.poll(state).toMatchObject({ status: "done", tries: 1 });
  });
});

test("a signal that a broker executes names the broker", async () => {
  const held = Promise.withResolvers<{ status: number }>();
  const receiver = await startReceiver({ "/": () => held.promise });
  const queue = await givenQueue(db);
  const contents = { url: `${receiver.url}/` };
  const id = await givenTurn(db, seals, { queue, type: "http-call", contents });
  await expect.poll(() => receiver.received.length).toBe(1);
  const [row] = await db`select worker from queue_signal_live where id = ${id}`;
  expect(row?.["worker"]).toMatch(/^broker [0-9a-f]{12}$/);
  held.resolve({ status: 200 });
  await expect.poll(() => endOfSignal(db, seals, id)).toMatchObject({ status: "finished" });
});
