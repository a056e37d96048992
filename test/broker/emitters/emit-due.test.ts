import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { emitDue } from "../../../broker/emitters/emit-due.ts";
import { deleteDoneEmitters } from "../../../broker/retention/delete-done-emitters.ts";
import { advanceClock, stopClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";
import {
  emitAll,
  emittedBy,
  emittingBroker,
  givenScheduled,
  moveClockTo,
  nowOf,
} from "../../support/queues/emitting.ts";
import { expectSoundSignals } from "../../support/queues/expect-sound-signals.ts";
import { emitterOf, setEmitterPause } from "../../support/queues/given-emitters.ts";
import { claimSignals, givenQueue, reportSignal } from "../../support/queues/given-signals.ts";

const { db, url } = await testDatabase();
const broker = await emittingBroker(url);

beforeAll(async () => {
  await stopClock(db);
  await moveClockTo(db, "2027-01-04T00:00:30Z");
});
afterEach(async () => {
  await expectSoundSignals(db);
  await db`delete from queue_emitters`;
});

async function setup(
  members: Parameters<typeof givenScheduled>[2] = {},
  queueMembers: Parameters<typeof givenQueue>[1] = {},
) {
  const queue = await givenQueue(db, queueMembers);
  const given = { cron_schedule: "*/5 * * * *", overlap_policy: "allow", ...members };
  const id = await givenScheduled(db, queue, given);
  const { next_tick_at } = await emitterOf(db, id);
  const first = next_tick_at?.getTime() ?? 0;
  return {
    queue,
    id,
    at: (seconds: number) => new Date(first + seconds * 1000),
    iso: (minutes: number) => new Date(first + minutes * 60_000).toISOString(),
    now: async () => await emitterOf(db, id),
    emitted: async () => await emittedBy(db, id),
  };
}

const dayS = 86_400;

describe("ticks that passed while no broker ran", () => {
  const outages = [
    { policy: "skip", emitted: 0 },
    { policy: "once", emitted: 1 },
    { policy: "all", emitted: 10 },
  ] as const;
  test.each(outages)("for a day: $policy emits $emitted", async ({ policy, emitted }) => {
    const { at, iso, now, emitted: ticks } = await setup({ missed_policy: policy });
    await moveClockTo(db, at(0));
    await emitAll(broker);
    await moveClockTo(db, at(dayS + 120));
    await emitAll(broker);
    const newest = Array.from({ length: emitted }, (_, nth) => iso(1440 - 5 * nth)).toReversed();
    expect(await ticks()).toEqual([iso(0), ...newest]);
    expect(await now()).toMatchObject({ emit_count: 1 + emitted, skip_count: 288 - emitted });
    expect((await now()).next_tick_at?.toISOString()).toBe(iso(1445));
  });

  test.each(["skip", "once", "all"])("for a minute: %s emits the tick late", async (policy) => {
    const { at, iso, now, emitted } = await setup({ missed_policy: policy });
    await moveClockTo(db, at(60));
    await emitAll(broker);
    expect(await emitted()).toEqual([iso(0)]);
    expect(await now()).toMatchObject({ skip_count: 0 });
  });

  test("are made up for in several looks where they are too large for one", async () => {
    const { at, id, now, emitted } = await setup({ missed_policy: "all", missed_limit: 60 });
    const template = Buffer.from(JSON.stringify({ filling: "x".repeat(250_000) }));
    await db`update queue_emitters set contents = ${template} where id = ${id}`;
    await moveClockTo(db, at(dayS));
    await emitDue(broker);
    const { length } = await emitted();
    expect(length).toBeGreaterThan(10);
    expect(length).toBeLessThan(60);
    await emitAll(broker);
    expect(await emitted()).toHaveLength(60);
    expect(await now()).toMatchObject({ emit_count: 60, skip_count: 229 });
  });
});

describe("an emitter that runs once", () => {
  test("fires at its instant, however late, and is done", async () => {
    const at = new Date((await nowOf(db)).getTime() + 90_000);
    const { id, now, emitted } = await setup({
      mode: "scheduled",
      cron_schedule: null,
      scheduled_at: at.toISOString(),
    });
    await emitAll(broker);
    expect(await emitted()).toEqual([]);
    await advanceClock(db, "3 days");
    await emitAll(broker);
    expect(await emittedBy(db, id)).toEqual([at.toISOString()]);
    expect(await now()).toMatchObject({ status: "done", fired: true, due_at: null });
    const batches = { signal: new AbortController().signal, batch: 10 };
    expect(await deleteDoneEmitters(db, 1, batches)).toBe(0);
    await advanceClock(db, "2 days");
    expect(await deleteDoneEmitters(db, 1, batches)).toBe(1);
  });

  test("fires after its delay", async () => {
    const { now, emitted } = await setup({ mode: "fire_once", cron_schedule: null, delay: 60e9 });
    await advanceClock(db, "59 s");
    await emitAll(broker);
    expect(await emitted()).toEqual([]);
    await advanceClock(db, "1 s");
    await emitAll(broker);
    expect(await emitted()).toHaveLength(1);
    expect(await now()).toMatchObject({ status: "done", fired: true });
  });

  test("is done without having fired when its instant passed while it was paused", async () => {
    const { now, emitted } = await setup({ mode: "fire_once", cron_schedule: null, delay: 60e9 });
    await setEmitterPause(db, await now(), "pause");
    await advanceClock(db, "2 minutes");
    await setEmitterPause(db, await now(), "resume");
    await emitAll(broker);
    expect(await emitted()).toEqual([]);
    expect(await now()).toMatchObject({ status: "done", fired: false });
  });
});

describe("a pause", () => {
  test("makes no tick that passes a missed one", async () => {
    const { at, iso, now, emitted } = await setup({ missed_policy: "all" });
    await setEmitterPause(db, await now(), "pause");
    await moveClockTo(db, at(3600));
    await emitAll(broker);
    await setEmitterPause(db, await now(), "resume");
    await emitAll(broker);
    expect(await emitted()).toEqual([iso(60)]); // resumed in the instant of a tick
    expect(await now()).toMatchObject({ status: "active", skip_count: 0 });
    await moveClockTo(db, at(3900));
    await emitAll(broker);
    expect(await emitted()).toEqual([iso(60), iso(65)]);
  });

  test("with an end is over then, and what passes after it was missed", async () => {
    const { at, iso, now, emitted } = await setup({ missed_policy: "all" });
    await setEmitterPause(db, await now(), "pause", at(600 + 1));
    await moveClockTo(db, at(1800 + 120));
    await emitAll(broker);
    expect(await emitted()).toEqual([15, 20, 25, 30].map(iso));
    expect(await now()).toMatchObject({ status: "active", status_description: "" });
  });
});

test("a tick waits while the queue is full, and is emitted when it has room", async () => {
  const { queue, at, iso, now, emitted } = await setup({ missed_policy: "once" }, { maxDepth: 1 });
  await moveClockTo(db, at(0));
  await emitAll(broker);
  await moveClockTo(db, at(300));
  await emitAll(broker);
  expect(await emitted()).toEqual([iso(0)]);
  expect((await now()).status_description).toContain("full");
  await claimSignals(db, queue);
  await advanceClock(db, "5 s");
  await emitAll(broker);
  expect(await emitted()).toEqual([iso(0), iso(5)]);
  expect(await now()).toMatchObject({ skip_count: 0, status_description: "" });
});

test("a tick is skipped while the last signal is live", async () => {
  const { queue, at, iso, now, emitted } = await setup({ overlap_policy: "skip" });
  await moveClockTo(db, at(0));
  await emitAll(broker);
  await moveClockTo(db, at(300));
  await emitAll(broker);
  const [claimed] = await claimSignals(db, queue);
  if (claimed === undefined) throw new Error("nothing was claimed");
  await reportSignal(db, queue, claimed, "finish");
  await moveClockTo(db, at(600));
  await emitAll(broker);
  expect(await emitted()).toEqual([iso(0), iso(10)]);
  expect(await now()).toMatchObject({ emit_count: 2, skip_count: 1 });
});

test("jitter spreads the same tick over the window, the same way each time", async () => {
  const queue = await givenQueue(db);
  const windowNs = 40 * 60e9;
  const ids: string[] = [];
  for (let nth = 0; nth < 80; nth += 1) {
    const members = { cron_schedule: "0 * * * *", jitter_window: windowNs };
    ids.push(await givenScheduled(db, queue, { ...members, overlap_policy: "allow" }));
  }
  const offsets = async () =>
    await Promise.all(
      ids.map(async (id) => {
        const { next_tick_at, next_emit_at } = await emitterOf(db, id);
        return (next_emit_at?.getTime() ?? 0) - (next_tick_at?.getTime() ?? 0);
      }),
    );
  const first = await offsets();
  const quarters = [0, 1, 2, 3].map(
    (nth) => first.filter((ms) => Math.floor((ms / windowNs) * 1e6 * 4) === nth).length,
  );
  expect(quarters.reduce((sum, one) => sum + one, 0)).toBe(80);
  expect(Math.min(...quarters)).toBeGreaterThan(7);
  const [some = ""] = ids;
  const { next_emit_at } = await emitterOf(db, some);
  await moveClockTo(db, new Date((next_emit_at?.getTime() ?? 0) - 1));
  await emitAll(broker);
  expect(await emittedBy(db, some)).toEqual([]);
  await advanceClock(db, "1 ms");
  await emitAll(broker);
  expect(await emittedBy(db, some)).toHaveLength(1);
  await advanceClock(db, "1 hour");
  await emitAll(broker);
  expect(await offsets()).toEqual(first);
});
