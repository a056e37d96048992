import { expect, test } from "vitest";
import type { OrgId } from "../../../broker/orgs/org-id.ts";
import { takeLines } from "../../../broker/webhooks/delivery-queries.ts";
import { until } from "../../support/broker/given-polling.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenOrg } from "../../support/rows/given.ts";
import { givenEvents } from "../../support/webhooks/given-events.ts";
import { givenWebhook } from "../../support/webhooks/given-webhooks.ts";
import { givenWebhooksApi } from "../../support/webhooks/webhooks-api.ts";

const { db, broker, logged, givenReceiving } = await givenWebhooksApi();

/** An org whose webhooks' receivers accept calls and never answer. */
async function givenDead(webhooks: number) {
  const paths = Array.from({ length: webhooks }, (_, n) => `/dead/${n}`);
  const [where = "", ...others] = paths;
  const replies = Object.fromEntries(
    paths.map((path) => [path, () => new Promise<never>(() => {})]),
  );
  const { orgId, receiver } = await givenReceiving(replies, { where });
  for (const path of others) await givenWebhook(db, { orgId, url: receiver.url + path });
  return { orgId, receiver };
}

test("another org's event is delivered while 200 dead webhooks hold all that one org may have", async () => {
  const dead = await givenDead(200);
  for (const n of [1, 2, 3])
    await givenEvents(db, [{ orgId: dead.orgId, workflowId: `wfl_d${n}` }]);
  await until(() => dead.receiver.received.length === 4); // of one org at one server
  const lines = async (): Promise<number> => {
    const [row] = await db<{ count: number }[]>`
      select count(*)::int from webhook_lines where org_id = ${dead.orgId} and lease_until > svc_now()`;
    return row?.count ?? 0;
  };
  await until(async () => (await lines()) === 16);
  const well = await givenReceiving();
  await givenEvents(db, [{ orgId: well.orgId, workflowId: "wfl_w" }]);
  await until(async () => (await well.statuses()).join() === "delivered");
  expect(await lines()).toBe(16);
  expect(dead.receiver.received).toHaveLength(4);
  expect(broker.metrics.text()).not.toContain('result="too_many_calls"');
});

test("another org's event is delivered while statements of one org wait for its own fan-out", async () => {
  const dead = await givenDead(8);
  await givenEvents(db, [{ orgId: dead.orgId, workflowId: "wfl_d" }]);
  await until(() => dead.receiver.received.length === 4);
  const well = await givenReceiving();
  await db.begin(async (tx) => {
    await tx`select from webhook_lines where org_id = ${dead.orgId} for update`; // as a fan-out has them
    await until(async () => {
      const waiting = await db`
        select from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and query like '%take_line_deliveries%'`;
      return waiting.length === 2; // as many as one org may have at once
    });
    await givenEvents(db, [{ orgId: well.orgId, workflowId: "wfl_w" }]);
    await until(async () => (await well.statuses()).join() === "delivered");
    expect(logged.filter((line) => line.includes("could not look"))).toEqual([]);
  });
});

test("a webhook that fails is not looked at while its one call is under way", async () => {
  const { orgId, receiver, webhook, deliveries } = await givenReceiving({
    "/ok": async (nth) => (nth === 1 ? { status: 500 } : await new Promise<never>(() => {})),
  });
  await givenEvents(db, [{ orgId, workflowId: "wfl_1" }]);
  await until(async () => (await deliveries())[0]?.attempts === 1);
  await givenEvents(db, [{ orgId, workflowId: "wfl_2" }]);
  await until(() => receiver.received.length === 2);
  const leased = async (): Promise<string | undefined> => {
    const [row] = await db<{ until: string }[]>`
      select lease_until::text as until from webhook_lines where webhook_id = ${webhook.id}`;
    return row?.until;
  };
  const before = await leased();
  for (const n of [3, 4, 5]) {
    await givenEvents(db, [{ orgId, workflowId: `wfl_${n}` }]);
    await until(async () => (await deliveries()).length === n); // its fan-out asks for a look
  }
  const well = await givenReceiving();
  await givenEvents(db, [{ orgId: well.orgId, workflowId: "wfl_w" }]);
  await until(async () => (await well.statuses()).join() === "delivered");
  expect([await leased(), receiver.received.length]).toEqual([before, 2]);
});

test("a look takes no more lines of an org than it may have, and others' beside them", async () => {
  const { db: own } = await testDatabase();
  const lineOf = async (orgId: OrgId): Promise<void> => {
    const webhook = await givenWebhook(own, { orgId, url: `http://127.0.0.1:1/${Math.random()}` });
    await own`insert into webhook_lines (webhook_id, org_id, due_at) values (${webhook}, ${orgId}, svc_now())`;
  };
  const [many, few] = [await givenOrg(own), await givenOrg(own)];
  for (let n = 0; n < 40; n += 1) await lineOf(many);
  for (let n = 0; n < 2; n += 1) await lineOf(few);
  const take = async (held: ReadonlyMap<OrgId, number>, most = 64) => {
    const lines = await takeLines(own, { most, ofOrg: 16, held });
    return [many, few].map((org) => lines.filter(({ orgId }) => orgId === org).length);
  };
  expect(await take(new Map([[many, 16]]), 1)).toEqual([0, 1]);
  expect(await take(new Map())).toEqual([16, 1]);
  expect(await take(new Map([[many, 16]]))).toEqual([0, 0]);
  expect(await take(new Map([[many, 10]]))).toEqual([6, 0]);
  expect(await take(new Map(), 5)).toEqual([5, 0]);
});
