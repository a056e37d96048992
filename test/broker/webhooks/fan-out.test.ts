import { expect, test } from "vitest";
import { leaveFanOut, passOnFanOuts, takeFanOut } from "../../../broker/events/event-queries.ts";
import { fanOutEvents } from "../../../broker/events/fan-out-events.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenOrg } from "../../support/rows/given.ts";
import { givenEvents } from "../../support/webhooks/given-events.ts";
import { givenWebhooksApi } from "../../support/webhooks/webhooks-api.ts";

const { broker } = await givenWebhooksApi();

/** An org with 250 webhooks in a database where no broker works, and events for all of them. */
async function setup(events: number) {
  const { db } = await testDatabase();
  const orgId = await givenOrg(db);
  await db`
    insert into webhooks (id, org_id, url, url_key, interests, created_at, updated_at)
    select 'whk_' || lpad(n::text, 26, '0'), ${orgId}, 'http://x/' || n, 'http://x/' || n, '{"all_events":true}', svc_now(), svc_now()
      from generate_series(1, 250) n`;
  await givenEvents(
    db,
    Array.from({ length: events }, () => ({ orgId })),
  );
  const { publicUrl, wakes } = broker;
  const run = async (lease = "one") => fanOutEvents({ publicUrl, wakes, db }, orgId, lease);
  const count = async () => {
    const [row] = await db<{ left: number; made: number }[]>`
      select (select count(*)::int from events where fanned_out_at is null) as left,
             (select count(*)::int from webhook_deliveries) as made`;
    return row;
  };
  return { db, orgId, run, count };
}

test("a fan-out does one batch, and tells whether there are more", async () => {
  const { run, count } = await setup(30);
  expect(await run()).toBe(true);
  expect(await count()).toEqual({ left: 10, made: 5000 });
  expect(await run()).toBe(false);
  expect(await count()).toEqual({ left: 0, made: 7500 });
});

test("one broker at a time fans out the events of an org, and hears of what others heard meanwhile", async () => {
  const { db, orgId, run, count } = await setup(30);
  expect(await run("one")).toBe(true);
  expect(await run("two")).toBe(false);
  expect(await count()).toEqual({ left: 10, made: 5000 });
  expect(await run("one")).toBe(false); // it was asked before it took its turn anew, and saw all of them
  expect(await count()).toEqual({ left: 0, made: 7500 });
  expect(await takeFanOut(db, orgId, "one")).toBe(true);
  expect(await run("two")).toBe(false);
  expect(await leaveFanOut(db, orgId, "one")).toBe(true); // it goes on
  expect(await run("one")).toBe(false);
  expect(await run("two")).toBe(false);
  expect(await leaveFanOut(db, orgId, "one")).toBe(false);
});

test("the turn of a broker that is gone is over after five seconds", async () => {
  const { db, orgId, run, count } = await setup(1);
  expect(await takeFanOut(db, orgId, "gone")).toBe(true);
  await run("two");
  expect(await count()).toEqual({ left: 1, made: 0 });
  await advanceClock(db, "6 seconds");
  await run("two");
  expect(await count()).toEqual({ left: 0, made: 250 });
  expect(await leaveFanOut(db, orgId, "gone")).toBe(false);
});

test("a broker that stops leaves the rest to another at once", async () => {
  const { db, orgId, run, count } = await setup(30);
  const told = Promise.withResolvers<string>();
  const ear = await db.listen("svc_wake", told.resolve);
  expect(await run("stops")).toBe(true);
  await passOnFanOuts(db, "stops");
  expect(await told.promise).toBe(`\nevents:${orgId}`);
  await ear.unlisten();
  expect(await run("other")).toBe(false);
  expect(await count()).toEqual({ left: 0, made: 7500 });
});

test("many at once make each delivery once", async () => {
  const { run, count } = await setup(25);
  const untilDone = async (lease: string): Promise<void> => {
    while ((await count())?.left !== 0) await run(lease);
  };
  await Promise.all(["one", "two", "three", "four"].map(untilDone));
  expect(await count()).toEqual({ left: 0, made: 6250 });
});

test("moves of one org wait for nothing of each other when they tell of events", async () => {
  const { db, orgId } = await setup(0);
  await db.begin(async (first) => {
    await first`select tell_of_events(array[${orgId}::text])`;
    await givenEvents(db, [{ orgId }]); // would wait for the end of the first for ever
  });
  const [row] = await db<
    { n: number }[]
  >`select count(*)::int as n from events where org_id = ${orgId}`;
  expect(row?.n).toBe(1);
});
