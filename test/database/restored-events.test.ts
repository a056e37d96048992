import { describe, expect, test } from "vitest";
import type { Db } from "../../broker/database/connect.ts";
import { newId } from "../../broker/database/new-id.ts";
import { startBroker, type TestBroker } from "../support/broker/broker.ts";
import { tallyAll } from "../support/broker/metrics.ts";
import { testDatabase } from "../support/database/database.ts";
import { untilSettled } from "../support/database/until-settled.ts";
import { givenToken } from "../support/rows/given-token.ts";
import { givenJob, givenJobs, type GivenRunner, givenRunner } from "../support/rows/given.ts";
import { givenEvents } from "../support/webhooks/given-events.ts";

async function cancel(db: Db, { orgId }: GivenRunner, job = ""): Promise<void> {
  await db`select * from end_jobs(${orgId}, ${[job]}, 'cancel', 'enough')`;
}

/** Every column that has numbers of transactions. */
async function transactionColumns(db: Db): Promise<{ of: string; name: string }[]> {
  return db<{ of: string; name: string }[]>`
    select c.relname as of, a.attname as name
      from pg_attribute a join pg_class c on c.oid = a.attrelid
     where a.atttypid in ('xid8'::regtype, 'xid'::regtype, 'pg_snapshot'::regtype) and c.relkind in ('r', 'p')
       and a.attnum > 0 and not a.attisdropped and c.relnamespace = 'public'::regnamespace
     order by 1, 2`;
}

/** As pg_restore leaves them: numbers of a cluster that had come further. */
async function restoreElsewhere(db: Db): Promise<void> {
  for (const { of, name } of await transactionColumns(db)) {
    await db`
      update ${db(of)} set ${db(name)} = (${db(name)}::text::bigint + 1000000000000)::text::xid8`;
  }
}

const adopt = (db: Db) => db`select adopt_restored_events() as moved`;

/** What who follows from the beginning is told, by a broker that started over what was restored. */
async function tellFeeds({ call }: TestBroker, token: string) {
  const jobs = await call<{ items: { runner_job_id: string; event: string }[] }>(
    "GET /v1/job-events?cursor=",
    { token },
  );
  const workflows = await call<{ items: { sequence: number; body: string }[] }>(
    "GET /v1/workflow-events?cursor=",
    { token },
  );
  expect([jobs.status, workflows.status]).toEqual([200, 200]);
  const workflowOf = (body: string): string =>
    (JSON.parse(body) as { data: { workflow: { id: string } } }).data.workflow.id;
  return {
    jobs: jobs.body.items.map(({ runner_job_id: id, event }) => [id, event]),
    workflows: workflows.body.items.map(({ sequence, body }) => [workflowOf(body), sequence]),
  };
}

describe("a database restored into another cluster", () => {
  test("has both feeds go on: what was restored in its order, then what is written there", async () => {
    const { db, url } = await testDatabase();
    const runner = await givenRunner(db);
    const { orgId } = runner;
    const token = await givenToken(db, { orgId });
    const [first, second] = await givenJobs(db, runner, [{}, {}]);
    const [one, other] = [newId("job"), newId("job")];
    await givenEvents(db, [{ orgId, workflowId: one, transition: "started" }]);
    await givenEvents(db, [{ orgId, workflowId: other, transition: "started" }]);
    await restoreElsewhere(db);
    expect(await adopt(db)).toMatchObject([{ moved: 4 }]);
    const broker = await startBroker({ url });
    await cancel(db, runner, second);
    await cancel(db, runner, first);
    await givenEvents(db, [{ orgId, workflowId: other }]);
    await givenEvents(db, [{ orgId, workflowId: one }]);
    await untilSettled(db);
    expect(await tellFeeds(broker, token)).toEqual({
      jobs: [
        [first, "enqueue"],
        [second, "enqueue"],
        [second, "cancel"],
        [first, "cancel"],
      ],
      workflows: [
        [one, 1],
        [other, 1],
        [other, 2],
        [one, 2],
      ],
    });
    expect(await tallyAll(db)).toBe(2);
  });

  test("has no number of a transaction that is still to come, in any column", async () => {
    const { db } = await testDatabase();
    const runner = await givenRunner(db);
    await givenJob(db, runner);
    await givenEvents(db, [{ orgId: runner.orgId }]);
    await restoreElsewhere(db);
    await adopt(db);
    const columns = await transactionColumns(db);
    expect(columns.map(({ of, name }) => `${of}.${name}`)).toEqual([
      "events.tx",
      "runner_job_events.tx",
      "runner_job_live.event_tx",
      "runner_job_tally_mark.tx",
    ]);
    for (const { of, name } of columns) {
      const ahead = await db`
        select from ${db(of)} where ${db(name)} >= pg_snapshot_xmax(pg_current_snapshot())`;
      expect([of, name, ahead.length]).toEqual([of, name, 0]);
      expect(await db`select from ${db(of)} limit 1`).toHaveLength(1); // there was one to renumber
    }
  });

  test.each(["events.tx", "runner_job_live.event_tx"])(
    "is found by %s alone, when other events were kept for less long",
    async (column) => {
      const { db } = await testDatabase();
      const runner = await givenRunner(db);
      const job = await givenJob(db, runner);
      await givenEvents(db, [{ orgId: runner.orgId }]);
      await restoreElsewhere(db);
      await db`delete from runner_job_events`;
      await db`update runner_job_tally_mark set tx = '1'`;
      if (column === "events.tx") await db`update runner_job_live set event_tx = '1'`;
      else await db`delete from events`;
      await adopt(db);
      await cancel(db, runner, job);
      await givenEvents(db, [{ orgId: runner.orgId }]);
      const [ahead] = await db`
        select (select count(*)::int from events where tx > pg_current_xact_id()) as events,
               (select count(*)::int from runner_job_events where tx > pg_current_xact_id()) as jobs`;
      expect(ahead).toEqual({ events: 0, jobs: 0 });
    },
  );

  test("is left alone when nothing was restored", async () => {
    const { db } = await testDatabase();
    const runner = await givenRunner(db);
    await givenJob(db, runner);
    await givenEvents(db, [{ orgId: runner.orgId }]);
    expect(await adopt(db)).toMatchObject([{ moved: 0 }]);
  });
});
