import { expect, test } from "vitest";
import { dropOldAttempts } from "../../../broker/retention/drop-old-partitions.ts";
import { deleteOldEvents } from "../../../broker/tasks/retention.ts";
import { until } from "../../support/broker/given-polling.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { givenEvents } from "../../support/webhooks/given-events.ts";
import { givenWebhooksApi } from "../../support/webhooks/webhooks-api.ts";

const { db, broker, call, setup, givenReceiving } = await givenWebhooksApi();
const { signal } = new AbortController();

test("old events go with their deliveries and attempts, and deleted webhooks after them", async () => {
  const { orgId, own, token, statuses, deliveries } = await givenReceiving();
  await givenEvents(db, [{ orgId, workflowId: "wfl_a" }]);
  await until(async () => (await statuses()).join() === "delivered");
  await advanceClock(db, "20 days");
  await givenEvents(db, [{ orgId, workflowId: "wfl_a" }]);
  await until(async () => (await statuses()).join() === "delivered,delivered");
  await advanceClock(db, "11 days");
  await deleteOldEvents(broker, { payload: {}, signal });
  const left = await deliveries();
  expect(left.map(({ sequence }) => sequence)).toEqual([2]);
  const attempts = await db`select delivery_id from webhook_attempts`;
  expect(attempts).toEqual([{ delivery_id: left[0]?.id }]);
  expect(await dropOldAttempts(db, 30)).toBe(0);
  await call(`DELETE ${own}`, { token });
  await advanceClock(db, "32 days");
  await deleteOldEvents(broker, { payload: {}, signal });
  for (const table of ["events", "webhook_deliveries", "webhook_attempts", "webhooks"]) {
    const [row] = await db<{ n: number }[]>`select count(*)::int as n from ${db(table)}`;
    expect([table, row?.n]).toEqual([table, 0]);
  }
  await givenEvents(db, [{ orgId, workflowId: "wfl_a" }]);
  const [next] = await db<{ seq: number }[]>`select seq from events`;
  expect(next).toEqual({ seq: 3 }); // a workflow counts on, whatever is kept of it
});

test("a former secret is forgotten when its day is over, not before", async () => {
  const { create, patch } = await setup();
  const { id } = (await create({ url: "https://example.com/", secret: "first" })).body;
  await patch(id, { secret: "second" });
  const former = async () =>
    (
      await db`select previous_secret is null as is_gone, previous_until is null as is_over, secret is null as is_without
                from webhooks where id = ${id}`
    )[0];
  await deleteOldEvents(broker, { payload: {}, signal });
  expect(await former()).toEqual({ is_gone: false, is_over: false, is_without: false });
  await advanceClock(db, "25 hours");
  await deleteOldEvents(broker, { payload: {}, signal });
  expect(await former()).toEqual({ is_gone: true, is_over: true, is_without: false });
});
