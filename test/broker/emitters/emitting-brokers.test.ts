import { afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Db } from "../../../broker/database/connect.ts";
import { emitDue } from "../../../broker/emitters/emit-due.ts";
import type { EmittingParts } from "../../../broker/emitters/plan-signals.ts";
import { advanceClock, stopClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";
import { untilOneWaits } from "../../support/database/until-one-waits.ts";
import {
  emitAll,
  emittedBy,
  emittingBroker,
  givenScheduled,
  moveClockTo,
} from "../../support/queues/emitting.ts";
import { expectSoundSignals } from "../../support/queues/expect-sound-signals.ts";
import { emitterOf } from "../../support/queues/given-emitters.ts";
import { givenQueue } from "../../support/queues/given-signals.ts";

const { db, url } = await testDatabase();
const brokers = await Promise.all([url, url, url].map(emittingBroker));
const [broker, other] = brokers as [EmittingParts, EmittingParts, EmittingParts];

beforeAll(() => stopClock(db));
afterEach(async () => {
  await expectSoundSignals(db);
  await db`delete from queue_emitters`;
});

type Counted = { readonly emitters: number; readonly most: number; readonly emitted: number };

async function countTicks(): Promise<Counted | undefined> {
  const [row] = await db<Counted[]>`
    select count(distinct emitter_id)::int as emitters, max(n)::int as most, sum(n)::int as emitted
      from (select emitter_id, scheduled_for, count(*) as n from queue_signals where emitter_id is not null group by 1, 2) t`;
  return row;
}

describe("three brokers that race for 1,000 emitters", () => {
  test("emit each tick once, tick after tick", async () => {
    const queues = await Promise.all(Array.from({ length: 20 }, () => givenQueue(db)));
    const members = { cron_schedule: "* * * * *", overlap_policy: "allow" };
    for (const queue of queues) {
      const many = Array.from({ length: 50 }, () => givenScheduled(db, queue, members));
      await Promise.all(many);
    }
    for (const round of [1, 2, 3]) {
      await advanceClock(db, "1 minute");
      await Promise.all(brokers.map(emitAll));
      expect(await countTicks()).toEqual({ emitters: 1000, most: 1, emitted: 1000 * round });
    }
    const [counted] = await db<{ emitted: number; skipped: number }[]>`
      select sum(emit_count)::int as emitted, sum(skip_count)::int as skipped from queue_emitters`;
    expect(counted).toEqual({ emitted: 3000, skipped: 0 });
  });
});

/** One emitter that is due. */
async function givenDue() {
  const queue = await givenQueue(db);
  const members = { cron_schedule: "*/5 * * * *", overlap_policy: "allow" };
  const id = await givenScheduled(db, queue, members);
  const tick = (await emitterOf(db, id)).next_tick_at ?? new Date(0);
  await moveClockTo(db, tick);
  const expectOnce = async (): Promise<void> => {
    await emitAll(other);
    expect(await emittedBy(db, id)).toEqual([tick.toISOString()]);
    expect(await emitterOf(db, id)).toMatchObject({ emit_count: 1, skip_count: 0 });
  };
  return { queue, id, tick, expectOnce };
}

class Killed extends Error {}

/** The connection of a broker that is killed when it would send this statement, or as it has its answer. */
function killedAt(statement: string, when: "before" | "after"): Db {
  return new Proxy(broker.db, {
    apply: (target, self, args: [TemplateStringsArray, ...unknown[]]) => {
      const isIt = Array.isArray(args[0]) && args[0].join("").includes(statement);
      if (isIt && when === "before") throw new Killed();
      const answer = Reflect.apply(target, self, args) as unknown;
      if (!isIt) return answer;
      return (answer as Promise<unknown>).then(() => Promise.reject(new Killed()));
    },
  });
}

describe("a broker that is killed", () => {
  test.each(["list_due_emitters", "read_due_emitters", "emit_ticks"])(
    "before or after its statement with %s leaves each tick to be emitted once",
    async (statement) => {
      for (const when of ["before", "after"] as const) {
        const { expectOnce } = await givenDue();
        const dying = { ...broker, db: killedAt(statement, when) };
        await expect(emitDue(dying)).rejects.toThrow(Killed);
        await expectOnce();
      }
    },
  );

  test("after its statement, before it told anybody, has emitted the tick", async () => {
    const { id, tick, expectOnce } = await givenDue();
    const notify = () => {
      throw new Killed();
    };
    const dying = { ...broker, wakes: { ...broker.wakes, notify } };
    await expect(emitDue(dying)).rejects.toThrow(Killed);
    expect(await emittedBy(db, id)).toEqual([tick.toISOString()]);
    await expectOnce();
  });

  test("within its statement has emitted nothing", async () => {
    const { queue, id, expectOnce } = await givenDue();
    const letGo = Promise.withResolvers<void>();
    const isHeld = Promise.withResolvers<void>();
    const holding = db.begin(async (tx) => {
      await tx`select from queue_counters where queue_id = ${queue.queueId} for update`;
      isHeld.resolve();
      await letGo.promise;
    });
    await isHeld.promise;
    const dying = emitDue(broker).then(
      () => "answered",
      () => "died",
    );
    await untilOneWaits(db);
    await db`
      select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`;
    expect(await dying).toBe("died");
    letGo.resolve();
    await holding;
    expect(await emittedBy(db, id)).toEqual([]);
    await expectOnce();
  });
});

test("an emitter whose template does not open leaves all others to emit, and emits when it does", async () => {
  const { id } = await givenDue();
  const { id: well, expectOnce } = await givenDue();
  const { next_tick_at } = await emitterOf(db, id);
  await db`update queue_emitters set key_id = 'lost' where id = ${id}`;
  await emitAll(other);
  expect(await emittedBy(db, well)).toHaveLength(1);
  expect((await emitterOf(db, id)).status_description).toContain("cannot emit");
  expect((await emitterOf(db, id)).next_tick_at).toEqual(next_tick_at);
  await db`update queue_emitters set key_id = null where id = ${id}`;
  await advanceClock(db, "61 s");
  await expectOnce();
  expect(await emittedBy(db, id)).not.toEqual([]);
});
