import { expect, test } from "vitest";
import { toEmitter } from "../../../broker/emitters/to-emitter.ts";
import { advanceClock, stopClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";
import {
  emitAll,
  emittedBy,
  emittingBroker,
  givenScheduled,
  moveClockTo,
  patchEmitter,
} from "../../support/queues/emitting.ts";
import { emitterOf } from "../../support/queues/given-emitters.ts";
import {
  claimSignals,
  givenQueue,
  givenSignal,
  reportSignal,
} from "../../support/queues/given-signals.ts";

const { db, url } = await testDatabase();
const broker = await emittingBroker(url);
await stopClock(db);
await moveClockTo(db, "2027-01-04T00:00:30Z");
const hourNs = 3600e9;

test("a change to the same values loses no tick that its jitter holds back, and fires nothing twice", async () => {
  const queue = await givenQueue(db);
  const daily = { cron_schedule: "0 2 * * *", jitter_window: hourNs };
  const id = await givenScheduled(db, queue, daily);
  const once = await givenScheduled(db, queue, { mode: "fire_once", delay: 60e9 });
  const { next_tick_at: tick, next_emit_at: at } = await emitterOf(db, id);
  if (tick === null || at === null) throw new Error("it has no tick");
  await moveClockTo(db, new Date(tick.getTime() + 1).toISOString());
  await emitAll(broker);
  await patchEmitter(broker, queue.orgId, id, { cron_schedule: "0 2 * * *" });
  await patchEmitter(broker, queue.orgId, once, { delay: 60e9 });
  await moveClockTo(db, new Date(at.getTime() + 1).toISOString());
  await emitAll(broker);
  expect(await emittedBy(db, id)).toHaveLength(1);
  expect(await emittedBy(db, once)).toHaveLength(1);
});

test("one that enqueued nothing, for a live signal has its dedupe key, has not fired", async () => {
  const queue = await givenQueue(db);
  await givenSignal(db, queue, { dedupe_key: "k" });
  const id = await givenScheduled(db, queue, { mode: "fire_once", delay: 1e9, dedupe_key: "k" });
  await advanceClock(db, "2 s");
  await emitAll(broker);
  expect(await emitterOf(db, id)).toMatchObject({ fired: false, skip_count: 1, status: "done" });
});

test("a tick is skipped while the last tick's signal is live, whatever was fired since", async () => {
  const queue = await givenQueue(db, { maxInFlight: 2 });
  const id = await givenScheduled(db, queue, {
    cron_schedule: "* * * * *",
    overlap_policy: "skip",
  });
  await advanceClock(db, "61 s");
  await emitAll(broker);
  await claimSignals(db, queue);
  const { version } = await emitterOf(db, id);
  const fired = { id: `sig_${"9".repeat(26)}`, contents: "e30=" };
  await db`
    select * from fire_emitter(${queue.orgId}, ${id}, ${version}, ${JSON.stringify(fired)}::text::json, 'acc_1')`;
  const [claimed] = await claimSignals(db, queue);
  if (claimed === undefined) throw new Error("nothing was claimed");
  await reportSignal(db, queue, claimed, "finish");
  await advanceClock(db, "60 s");
  await emitAll(broker);
  expect(await emittedBy(db, id)).toHaveLength(1); // of its schedule
});

test("one whose zone this broker does not know is shown as such", async () => {
  const queue = await givenQueue(db);
  const id = await givenScheduled(db, queue, { cron_schedule: "0 2 * * *" });
  const row = { ...(await emitterOf(db, id)), time_zone: "Mars/Base" };
  expect(toEmitter(row as never).schedule_description).toBe(
    "0 2 * * * in Mars/Base, which this broker cannot read",
  );
});
