import { expect, onTestFinished, test } from "vitest";
import { type BrokerProcess, startBrokerProcess } from "../support/broker/broker-process.ts";
import { advanceClock } from "../support/database/clock.ts";
import { testDatabase } from "../support/database/database.ts";
import { untilOneWaits } from "../support/database/until-one-waits.ts";
import { givenScheduled } from "../support/queues/emitting.ts";
import { expectSoundSignals } from "../support/queues/expect-sound-signals.ts";
import { givenQueue } from "../support/queues/given-signals.ts";

const { db, url } = await testDatabase();

async function start(): Promise<BrokerProcess> {
  const broker = await startBrokerProcess(url);
  onTestFinished(() => broker.kill());
  return broker;
}

/** Emitters with a tick, those that said what they emitted, and ticks that have more than one signal. */
async function count() {
  const [row] = await db<{ emitters: number; counted: number; twice: number }[]>`
    select count(*) filter (where s.signals > 0)::int as emitters, count(*) filter (where s.signals = e.emit_count)::int as counted,
           coalesce(sum(s.signals - s.ticks), 0)::int as twice
      from queue_emitters e
     cross join lateral (select count(*) as signals, count(distinct f.scheduled_for) as ticks
                           from queue_signals f where f.emitter_id = e.id) s`;
  return row;
}

const emitters = 600;

test("brokers killed while they emit leave each tick to be emitted once, with its bookkeeping", async () => {
  const queues = await Promise.all(Array.from({ length: 12 }, () => givenQueue(db)));
  const members = { cron_schedule: "0 * * * *", overlap_policy: "allow", missed_policy: "all" };
  for (const queue of queues)
    await Promise.all(
      Array.from({ length: emitters / queues.length }, () => givenScheduled(db, queue, members)),
    );
  const dying = [await start(), await start()];
  const letGo = Promise.withResolvers<void>();
  const isHeld = Promise.withResolvers<void>();
  const holding = db.begin(async (tx) => {
    await tx`select from queue_counters where queue_id = ${queues[0]?.queueId ?? ""} for update`;
    isHeld.resolve();
    await letGo.promise;
  });
  await isHeld.promise;
  await advanceClock(db, "1 hour");
  await untilOneWaits(db);
  expect((await count())?.emitters).toBeLessThan(emitters);
  await Promise.all(dying.map((broker) => broker.kill()));
  await start();
  letGo.resolve(); // the statement of a broker that is gone goes on now
  await holding;
  const all = { emitters, counted: emitters, twice: 0 };
  await expect.poll(count).toEqual(all);
  await expectSoundSignals(db);
});
