import { beforeEach, describe, expect, test } from "vitest";
import { findEmitterDelay } from "../../../broker/database-metrics/queries.ts";
import { emitDue, mostOfLook } from "../../../broker/emitters/emit-due.ts";
import { listDue } from "../../../broker/emitters/find-due.ts";
import { advanceClock, stopClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";
import { explaining, readsOf, walksOf } from "../../support/database/explain.ts";
import { emittedBy, emittingBroker, givenScheduled } from "../../support/queues/emitting.ts";
import { emitterOf } from "../../support/queues/given-emitters.ts";
import { type GivenQueue, givenQueue } from "../../support/queues/given-signals.ts";

const { db, url } = await testDatabase();
const broker = await emittingBroker(url);
await stopClock(db);

beforeEach(async () => {
  await db`delete from queue_emitters`;
});

const minutely = { cron_schedule: "* * * * *", overlap_policy: "allow" };

/** So many more emitters like this one, each due as long before it. */
async function copy(id: string, count: number): Promise<void> {
  await db`
    insert into queue_emitters (id, org_id, queue_id, name, mode, cron_schedule, overlap_policy, signal_type, runs, max_executions,
                                retry_delay, contents, next_tick_at, next_emit_at, due_at, schedule_at)
    select left(id, -6) || lpad(n::text, 6, '0'), org_id, queue_id, n::text, mode, cron_schedule, overlap_policy, signal_type, runs,
           max_executions, retry_delay, contents, next_tick_at, next_emit_at, due_at - interval '1 ms', schedule_at
      from queue_emitters cross join generate_series(1, ${count}::int) n where id = ${id}`;
}

/** An org whose thousands of ticks are all due before the only one of another. */
async function givenCrowd(): Promise<{ crowd: GivenQueue; lone: GivenQueue; loneId: string }> {
  const crowd = await givenQueue(db, { maxDepth: 10_000 });
  const lone = await givenQueue(db);
  await copy(await givenScheduled(db, crowd, minutely), 3 * mostOfLook);
  const loneId = await givenScheduled(db, lone, minutely);
  await advanceClock(db, "1 minute");
  return { crowd, lone, loneId };
}

describe("one org's thousands of due emitters", () => {
  test("leave the only one of another org its place in the first look, and in its first statements", async () => {
    const { crowd, loneId } = await givenCrowd();
    const first = await listDue(db, mostOfLook);
    expect(first.slice(0, 2).map(({ id }) => id)).toContain(loneId);
    const { found, settled } = await emitDue(broker);
    expect([found, settled]).toEqual([mostOfLook, mostOfLook]);
    expect(await emittedBy(db, loneId)).toHaveLength(1);
    const [row] = await db<{ n: number }[]>`
      select count(*)::int as n from queue_signals where queue_id = ${crowd.queueId}`;
    expect(row?.n).toBe(mostOfLook - 1);
  });

  test("take turns with another org's, whether all fit into a look or not", async () => {
    const queues = [await givenQueue(db), await givenQueue(db)] as const;
    const ids = [];
    for (const queue of [queues[0], queues[0], queues[0], queues[1]])
      ids.push(await givenScheduled(db, queue, minutely));
    expect(await listDue(db, 10)).toEqual([]);
    await advanceClock(db, "1 minute");
    const listed = (await listDue(db, 10)).map(({ id }) => id);
    expect(listed).toEqual([ids[0], ids[3], ids[1], ids[2]]);
    for (const most of [1, 2, 3, 4])
      expect((await listDue(db, most)).map(({ id }) => id)).toEqual(listed.slice(0, most));
  });
});

test("an emitter's place among those of its org is its time", async () => {
  const queue = await givenQueue(db);
  const late = await givenScheduled(db, queue, { cron_schedule: "*/2 * * * *" });
  const early = await givenScheduled(db, queue, minutely);
  await db`update queue_emitters set due_at = due_at - interval '1 s' where id = ${early}`;
  await advanceClock(db, "2 minutes");
  expect((await listDue(db, 10)).map(({ id }) => id)).toEqual([early, late]);
  expect((await emitterOf(db, early)).due_at).not.toBeNull();
});

describe("what a look reads", () => {
  test("is found by an index in each of its statements, though nothing is known of the tables", async () => {
    const fresh = await testDatabase();
    const told = await explaining(fresh);
    const broker = { ...(await emittingBroker(fresh.url)), db: told.db };
    await stopClock(fresh.db);
    const queue = await givenQueue(fresh.db);
    for (const overlap_policy of ["skip", "allow"])
      await givenScheduled(fresh.db, queue, { ...minutely, overlap_policy, dedupe_key: "one" });
    for (let round = 0; round < 3; round += 1) {
      await emitDue(broker);
      await listDue(told.db, 1); // fewer than are due
      await findEmitterDelay(told.db);
      await advanceClock(fresh.db, "1 minute");
    }
    const plans = told.take();
    expect(plans.some(({ "Query Text": text }) => text.includes("update queue_emitters"))).toBe(
      true,
    );
    expect(
      plans.flatMap(({ Plan }) => walksOf(Plan)).filter((walk) => walk.includes("emitter")),
    ).toEqual([]);
    await told.end();
  });

  test("is one entry of an index while nothing is due, and grows with what is listed and with orgs, not with what waits", async () => {
    const { crowd } = await givenCrowd();
    for (let org = 0; org < 20; org += 1)
      await givenScheduled(db, await givenQueue(db), { cron_schedule: "0 0 1 1 *" });
    await db`analyze queue_emitters`;
    const told = await explaining({ url }, { isMeasured: true });
    const rows = (): number =>
      told
        .take()
        .flatMap(({ Plan }) => readsOf(Plan))
        .reduce((sum, read) => sum + read.rows, 0);
    await listDue(told.db, 100);
    expect(rows()).toBeLessThan(600);
    await db`update queue_emitters set due_at = due_at + interval '1 day' where queue_id = ${crowd.queueId}`;
    await db`delete from queue_emitters where due_at <= svc_now()`;
    told.take();
    expect(await listDue(told.db, 100)).toEqual([]);
    expect(rows()).toBeLessThanOrEqual(1);
    await told.end();
  });
});
