import { expect, test } from "vitest";
import { fanOutEvents } from "../../../broker/events/fan-out-events.ts";
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
  await db`delete from graphile_worker._private_jobs`;
  const { config, wakes } = broker;
  const run = async () => fanOutEvents({ config, wakes, db }, orgId);
  const count = async () => {
    const [row] = await db<{ left: number; made: number; tasks: number }[]>`
      select (select count(*)::int from events where fanned_out_at is null) as left,
             (select count(*)::int from webhook_deliveries) as made,
             (select count(*)::int from graphile_worker._private_jobs) as tasks`;
    return row;
  };
  return { run, count };
}

test("a fan-out does one batch and leaves the rest to a task behind those that wait", async () => {
  const { run, count } = await setup(30);
  await run();
  expect(await count()).toEqual({ left: 10, made: 5000, tasks: 1 });
  await run();
  expect(await count()).toEqual({ left: 0, made: 7500, tasks: 1 });
});

test("a fan-out of an org that is under way ends at once, and a task makes up for it", async () => {
  const { run, count } = await setup(2);
  await Promise.all([run(), run(), run()]);
  expect(await count()).toEqual({ left: 0, made: 500, tasks: 1 });
});
