import { expect, onTestFinished, test } from "vitest";
import { type BrokerProcess, startBrokerProcess } from "../support/broker/broker-process.ts";
import { until } from "../support/broker/given-polling.ts";
import { advanceClock } from "../support/database/clock.ts";
import { testDatabase } from "../support/database/database.ts";
import { givenGates } from "../support/database/gates.ts";
import { startReceiver } from "../support/queues/start-receiver.ts";
import { givenOrg } from "../support/rows/given.ts";
import { givenEvents } from "../support/webhooks/given-events.ts";
import { givenWebhook } from "../support/webhooks/given-webhooks.ts";

const { db, url } = await testDatabase();
const close = await givenGates(db, [
  { name: "fan_out", table: "webhook_deliveries", on: "insert", when: "true" },
  {
    name: "booked",
    table: "webhook_deliveries",
    on: "update",
    when: "new.attempts > old.attempts",
  },
]);
const settings = { SVC_POOL_SIZE: "20", SVC_LOCK_WAIT_MS: "20000" };

async function start(): Promise<BrokerProcess> {
  const broker = await startBrokerProcess(url, { settings });
  onTestFinished(() => broker.kill());
  return broker;
}

async function setup() {
  const orgId = await givenOrg(db);
  const receiver = await startReceiver();
  await givenWebhook(db, { orgId, url: `${receiver.url}/` });
  const left = async (): Promise<number> => {
    const [row] = await db<{ n: number }[]>`
      select (select count(*) from events where org_id = ${orgId} and fanned_out_at is null)::int
             + (select count(*) from webhook_deliveries where org_id = ${orgId} and status = 'pending')::int as n`;
    return row?.n ?? 0;
  };
  const events = ["wfl_a", "wfl_b"].flatMap((workflowId) =>
    Array.from({ length: 3 }, () => ({ orgId, workflowId })),
  );
  const ids = () => receiver.received.map(({ headers }) => String(headers["webhook-id"]));
  return { events, left, ids };
}

test("a broker killed between a move and its fan-out loses no event", async () => {
  const { events, left, ids } = await setup();
  const gate = await close(["fan_out"]);
  const dying = await start();
  await givenEvents(db, events);
  await gate.untilWaiting(1);
  await dying.kill();
  await gate.lose();
  expect(ids()).toEqual([]);
  await start(); // the task is locked by the dead one: the look for what is forgotten finds its events
  await until(async () => {
    await advanceClock(db, "10 s");
    return (await left()) === 0;
  });
  expect(new Set(ids()).size).toBe(6);
  expect(ids()).toHaveLength(6);
});

test("a broker killed between a call and its bookkeeping makes it again, with the same id", async () => {
  const { events, left, ids } = await setup();
  const gate = await close(["booked"]);
  const dying = await start();
  await givenEvents(db, events);
  await until(() => ids().length >= 2);
  await gate.untilWaiting(1);
  await dying.kill();
  await gate.lose();
  const before = new Set(ids());
  await start();
  for (let jumps = 0; jumps < 6 && (await left()) > 0; jumps++) {
    await advanceClock(db, "61 s"); // its lease runs out; more at once would end that of the new broker, too
    await until(async () => (await left()) === 0).catch(() => {}); // then again
  }
  expect(await left()).toBe(0);
  expect(new Set(ids()).size).toBe(6);
  const twice = ids().filter((id, at) => ids().indexOf(id) !== at);
  expect(twice.length).toBeGreaterThan(0);
  expect(twice.filter((id) => !before.has(id))).toEqual([]);
});
