import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { findEmitterDelay } from "../../../broker/database-metrics/queries.ts";
import { emitDue } from "../../../broker/emitters/emit-due.ts";
import { showTicks } from "../../../broker/emitters/show-emitter.ts";
import { advanceClock, stopClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";
import {
  emitAll,
  emittedBy,
  emittingBroker,
  givenScheduled,
  moveClockTo,
  nowOf,
  patchEmitter,
} from "../../support/queues/emitting.ts";
import { emitterOf, setEmitterPause } from "../../support/queues/given-emitters.ts";
import { claimSignals, givenQueue, givenSignal } from "../../support/queues/given-signals.ts";

const { db, url } = await testDatabase();
const broker = await emittingBroker(url);
const hourNs = 3600e9;

beforeAll(async () => {
  await stopClock(db);
  await moveClockTo(db, "2027-01-04T00:00:30Z");
});

afterEach(async () => {
  await db`delete from queue_emitters`;
});

/** An hourly emitter whose ticks wait for their jitter: minutes of it, and minutes until the next tick. */
async function givenWaiting(
  { jitter_window = hourNs - 60e9, ...members }: Parameters<typeof givenScheduled>[2] = {},
  maxDepth = 1000,
) {
  const queue = await givenQueue(db, { maxDepth });
  const given = { cron_schedule: "0 * * * *", overlap_policy: "allow", ...members, jitter_window };
  const isFit = (ms: number): boolean =>
    jitter_window === 0 || (ms > 10 * 60_000 && ms < 50 * 60_000);
  for (;;) {
    const id = await givenScheduled(db, queue, given);
    const { next_tick_at: tick, next_emit_at: emitAt } = await emitterOf(db, id);
    if (tick === null || emitAt === null) throw new Error("it has no tick");
    if (!isFit(emitAt.getTime() - tick.getTime())) continue;
    return {
      queue,
      id,
      emitAt,
      iso: (minutes: number) => new Date(tick.getTime() + minutes * 60_000).toISOString(),
      at: (minutes: number) => new Date(tick.getTime() + minutes * 60_000),
      now: async () => await emitterOf(db, id),
      emitted: async () => await emittedBy(db, id),
    };
  }
}

describe("a tick that waits for its jitter", () => {
  test("is emitted at its time though the emitter was paused for a second meanwhile", async () => {
    const { at, iso, emitAt, now, emitted } = await givenWaiting();
    await moveClockTo(db, at(5));
    await setEmitterPause(db, await now(), "pause");
    await advanceClock(db, "1 s");
    await setEmitterPause(db, await now(), "resume");
    await emitAll(broker);
    expect(await now()).toMatchObject({ next_tick_at: at(0), next_emit_at: emitAt });
    await moveClockTo(db, emitAt);
    await emitAll(broker);
    expect(await emitted()).toEqual([iso(0)]);
    expect(await now()).toMatchObject({ next_tick_at: at(60), skip_count: 0 });
  });

  test("passes like any other when the pause lasts until after its time", async () => {
    const { at, emitAt, now, emitted } = await givenWaiting();
    await moveClockTo(db, at(5));
    await setEmitterPause(db, await now(), "pause");
    await moveClockTo(db, new Date(emitAt.getTime() + 1));
    await setEmitterPause(db, await now(), "resume");
    await emitAll(broker);
    expect(await emitted()).toEqual([]);
    expect(await now()).toMatchObject({ next_tick_at: at(60), skip_count: 0 });
  });

  test.each([
    [{ cron_schedule: "30 * * * *", jitter_window: 0 }, 30],
    [{ jitter_window: 0 }, 60],
    [{ cron_schedule: "* * * * *", jitter_window: 0 }, 6],
  ])("is emitted at once when the schedule is changed to %j", async (changes, next) => {
    const { queue, id, at, iso, now, emitted } = await givenWaiting();
    await moveClockTo(db, at(5));
    await patchEmitter(broker, queue.orgId, id, changes);
    const { ticks } = await showTicks(db, queue.orgId, { id, n: 2 });
    expect(ticks).toMatchObject([
      { scheduled_for: iso(0), emit_at: iso(5) },
      { scheduled_for: iso(next), emit_at: iso(next) },
    ]);
    await emitDue(broker);
    expect(await emitted()).toEqual([iso(0)]);
    expect(await now()).toMatchObject({ next_tick_at: at(next), next_emit_at: at(next) });
    await moveClockTo(db, at(next));
    await emitAll(broker);
    expect(await emitted()).toEqual([iso(0), iso(next)]);
    expect(await now()).toMatchObject({ skip_count: 0 });
  });

  const outages = [
    ["skip", [], 4],
    ["once", [60], 3],
    ["all", [0, 20, 40, 60], 0],
  ] as const;
  test.each(outages)("is one of those missed where %s decides", async (policy, minutes, skips) => {
    const members = { missed_policy: policy, missed_limit: 4 };
    const { queue, id, at, iso, now, emitted } = await givenWaiting(members);
    await moveClockTo(db, at(5));
    const changes = { cron_schedule: "*/20 * * * *", jitter_window: 0 };
    await patchEmitter(broker, queue.orgId, id, changes);
    await moveClockTo(db, at(72)); // ticks at 20, 40 and 60 minutes
    await emitAll(broker);
    expect(await emitted()).toEqual(minutes.map(iso));
    expect((await now()).skip_count).toBe(skips);
    expect((await now()).next_tick_at).toEqual(at(80));
  });

  test("is none from before the emitter was created, whatever resumes it", async () => {
    const { at, now } = await givenWaiting();
    await setEmitterPause(db, await now(), "pause");
    await advanceClock(db, "1 s");
    await setEmitterPause(db, await now(), "resume");
    await emitAll(broker);
    expect((await now()).next_tick_at).toEqual(at(0));
  });
});

describe("a tick that waits for room in its queue", () => {
  test("is counted as skipped by a pause", async () => {
    const { at, iso, now, emitted } = await heldTick();
    await setEmitterPause(db, await now(), "pause");
    await moveClockTo(db, at(65));
    await setEmitterPause(db, await now(), "resume");
    await emitAll(broker);
    expect(await emitted()).toEqual([iso(0)]);
    expect(await now()).toMatchObject({ skip_count: 1, next_tick_at: at(120) });
  });

  test("and those behind it are counted as skipped by a pause, each", async () => {
    const { at, now } = await heldTick({ missed_policy: "all" });
    await moveClockTo(db, at(190));
    await emitAll(broker);
    expect(await now()).toMatchObject({ skip_count: 0, next_tick_at: at(60) });
    await setEmitterPause(db, await now(), "pause");
    expect(await now()).toMatchObject({ skip_count: 3 });
    await setEmitterPause(db, await now(), "resume");
    await emitAll(broker);
    await setEmitterPause(db, await now(), "pause");
    expect(await now()).toMatchObject({ skip_count: 3 });
  });

  test("is emitted after a change of the schedule, as soon as there is room", async () => {
    const { queue, id, at, iso, now, emitted } = await heldTick();
    await patchEmitter(broker, queue.orgId, id, { cron_schedule: "30 * * * *" });
    await emitAll(broker);
    expect((await now()).status_description).toContain("full");
    await claimSignals(db, queue);
    await advanceClock(db, "5 s");
    await emitAll(broker);
    expect(await emitted()).toEqual([iso(0), iso(60)]);
    expect(await now()).toMatchObject({ skip_count: 0, next_tick_at: at(90) });
  });

  test("is emitted after a change of the schedule, and those behind it are counted as skipped, each", async () => {
    const { queue, id, at, iso, now, emitted } = await heldTick({ missed_policy: "all" });
    await moveClockTo(db, at(190));
    await emitAll(broker);
    await patchEmitter(broker, queue.orgId, id, { cron_schedule: "30 * * * *" });
    expect(await now()).toMatchObject({ skip_count: 2 });
    await patchEmitter(broker, queue.orgId, id, { cron_schedule: "45 * * * *" });
    expect(await now()).toMatchObject({ skip_count: 2 });
    await claimSignals(db, queue);
    await advanceClock(db, "5 s");
    await emitAll(broker);
    expect(await emitted()).toEqual([iso(0), iso(60)]);
    expect(await now()).toMatchObject({ skip_count: 2, next_tick_at: at(225) });
  });

  test("of an emitter that emits once is counted as skipped when it gets another instant", async () => {
    const queue = await givenQueue(db, { maxDepth: 1 });
    await givenSignal(db, queue);
    const inMinutes = async (minutes: number): Promise<string> =>
      new Date((await nowOf(db)).getTime() + minutes * 60_000).toISOString();
    const id = await givenScheduled(db, queue, {
      mode: "scheduled",
      scheduled_at: await inMinutes(1),
    });
    await advanceClock(db, "61 s");
    await emitAll(broker);
    expect(await emitterOf(db, id)).toMatchObject({ skip_count: 0, status: "active" });
    await patchEmitter(broker, queue.orgId, id, { scheduled_at: await inMinutes(5) });
    expect(await emitterOf(db, id)).toMatchObject({ skip_count: 1, status: "active" });
  });

  test("is overdue in the figures, as is one that no broker has looked at", async () => {
    expect(await findEmitterDelay(db)).toBe(0);
    const { at, id } = await heldTick();
    expect(await findEmitterDelay(db)).toBe(0);
    await moveClockTo(db, at(70));
    await emitAll(broker);
    expect(await findEmitterDelay(db)).toBe(600);
    await db`update queue_emitters set due_at = next_emit_at where id = ${id}`;
    expect(await findEmitterDelay(db)).toBe(600);
  });

  async function heldTick(members: Parameters<typeof givenScheduled>[2] = {}) {
    const given = await givenWaiting({ ...members, jitter_window: 0 }, 1);
    for (const minutes of [0, 60]) {
      await moveClockTo(db, given.at(minutes));
      await emitAll(broker);
    }
    expect((await given.now()).status_description).toContain("full");
    return given;
  }
});
