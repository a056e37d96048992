import { afterEach, describe, expect, test } from "vitest";
import { advanceClock } from "../support/database/clock.ts";
import { testDatabase } from "../support/database/database.ts";
import { expectSoundSignals } from "../support/queues/expect-sound-signals.ts";
import {
  emittedSignal,
  type EmitterState,
  emitterOf,
  emitTicks,
  givenEmitter,
  setEmitterPause,
  tickOf,
} from "../support/queues/given-emitters.ts";
import {
  claimSignals,
  givenQueue,
  givenSignal,
  reportSignal,
} from "../support/queues/given-signals.ts";

const { db } = await testDatabase();

afterEach(() => expectSoundSignals(db));

const hourMs = 3_600_000;

/** The tick that an emitter waits for, and ticks that follow it an hour apart. */
function ticksFrom({ next_tick_at }: EmitterState, count: number): Date[] {
  const first = next_tick_at?.getTime() ?? 0;
  return Array.from({ length: count }, (_, at) => new Date(first + at * hourMs));
}

async function setup(
  members: Readonly<Record<string, unknown>> = {},
  queueMembers: Parameters<typeof givenQueue>[1] = {},
) {
  const queue = await givenQueue(db, { maxInFlight: 10, ...queueMembers });
  const id = await givenEmitter(db, queue, members);
  await advanceClock(db, "2 minutes");
  const emitter = await emitterOf(db, id);
  const [tick = new Date(), next = new Date()] = ticksFrom(emitter, 2);
  return { queue, id, emitter, tick, next, now: async () => await emitterOf(db, id) };
}

async function signalsOf(id: string): Promise<(Date | null)[]> {
  const rows = await db<{ scheduled_for: Date | null }[]>`
    select scheduled_for from queue_signals where emitter_id = ${id} order by id`;
  return rows.map(({ scheduled_for }) => scheduled_for);
}

describe("a tick", () => {
  test("is emitted with the tick after it, and counted", async () => {
    const { emitter, tick, next, now, id } = await setup();
    const signal = emittedSignal(emitter, tick);
    expect(await emitTicks(db, [tickOf(emitter, next, 3)], [signal])).toMatchObject([
      { outcome: "emitted", emitted: 1 },
    ]);
    expect(await now()).toMatchObject({
      emit_count: 1,
      skip_count: 3,
      last_signal_id: signal.id,
      next_tick_at: next,
      due_at: next,
      status: "active",
    });
    expect(await signalsOf(id)).toEqual([tick]);
  });

  test("is emitted once, whoever read it at the same time", async () => {
    const { emitter, tick, next, id } = await setup();
    const tries = Array.from({ length: 10 }, () =>
      emitTicks(db, [tickOf(emitter, next)], [emittedSignal(emitter, tick)]),
    );
    const outcomes = (await Promise.all(tries)).flat().map(({ outcome }) => outcome);
    expect(outcomes.toSorted()).toEqual(["emitted", ...Array.from({ length: 9 }, () => "lost")]);
    expect(await signalsOf(id)).toEqual([tick]);
  });

  test("is not emitted before it is due", async () => {
    const at = new Date(Date.now() + 30 * 24 * hourMs).toISOString();
    const { emitter, tick, next } = await setup({ next_tick_at: at, next_emit_at: at });
    expect(
      await emitTicks(db, [tickOf(emitter, next)], [emittedSignal(emitter, tick)]),
    ).toMatchObject([{ outcome: "lost" }]);
  });

  test("is lost to whoever read the emitter before it was paused or changed", async () => {
    const { emitter, tick, next, id } = await setup();
    await setEmitterPause(db, emitter, "pause");
    const emit = () => emitTicks(db, [tickOf(emitter, next)], [emittedSignal(emitter, tick)]);
    expect(await emit()).toMatchObject([{ outcome: "lost" }]);
    await setEmitterPause(db, emitter, "resume");
    expect(await emit()).toMatchObject([{ outcome: "lost" }]);
    expect(await signalsOf(id)).toEqual([]);
  });

  test("waits for a full queue, with all that come after it", async () => {
    const { emitter, queue, now, id } = await setup({}, { maxDepth: 2 });
    const [first, second, third, next] = ticksFrom(emitter, 4) as [Date, Date, Date, Date];
    const signals = [first, second, third].map((tick) => emittedSignal(emitter, tick));
    expect(await emitTicks(db, [tickOf(emitter, next)], signals)).toMatchObject([
      { outcome: "full", emitted: 2 },
    ]);
    expect(await now()).toMatchObject({ next_tick_at: third, emit_count: 2, skip_count: 0 });
    expect((await now()).status_description).toContain("full");
    expect(await signalsOf(id)).toEqual([first, second]);
    const again = await now();
    expect(await emitTicks(db, [tickOf(again, next)], [emittedSignal(again, third)])).toMatchObject(
      [{ outcome: "lost" }],
    );
    await claimSignals(db, queue);
    await advanceClock(db, "6 seconds");
    expect(await emitTicks(db, [tickOf(again, next)], [emittedSignal(again, third)])).toMatchObject(
      [{ outcome: "emitted" }],
    );
    expect(await now()).toMatchObject({ next_tick_at: next, status_description: "" });
  });

  test("is skipped while the last signal is live, unless that is allowed", async () => {
    const { emitter, tick, next, queue, now, id } = await setup({ overlap_policy: "skip" });
    await emitTicks(db, [tickOf(emitter, next)], [emittedSignal(emitter, tick)]);
    await advanceClock(db, "1 hour");
    const [, after = next] = ticksFrom(await now(), 2);
    expect(
      await emitTicks(db, [tickOf(await now(), after)], [emittedSignal(emitter, next)]),
    ).toMatchObject([{ outcome: "skipped" }]);
    expect(await now()).toMatchObject({ emit_count: 1, skip_count: 1, next_tick_at: after });
    const [claimed] = await claimSignals(db, queue);
    if (claimed === undefined) throw new Error("nothing was claimed");
    await reportSignal(db, queue, claimed, "finish");
    await advanceClock(db, "1 hour");
    const [, last = after] = ticksFrom(await now(), 2);
    await emitTicks(db, [tickOf(await now(), last)], [emittedSignal(emitter, after)]);
    expect(await signalsOf(id)).toEqual([tick, after]);
    expect((await now()).status_description).toBe("");
  });

  test("is skipped while a live signal has its dedupe key", async () => {
    const { emitter, tick, next, queue, now, id } = await setup({ dedupe_key: "one" });
    await givenSignal(db, queue, { dedupe_key: "one" });
    expect(
      await emitTicks(db, [tickOf(emitter, next)], [emittedSignal(emitter, tick)]),
    ).toMatchObject([{ outcome: "skipped" }]);
    expect(await now()).toMatchObject({ emit_count: 0, skip_count: 1, next_tick_at: next });
    expect(await signalsOf(id)).toEqual([]);
  });

  test("that is the only one ends its emitter", async () => {
    const at = new Date(Math.ceil(Date.now() / 60_000) * 60_000).toISOString();
    const members = { mode: "scheduled", cron_schedule: null, scheduled_at: at };
    const { emitter, tick, now } = await setup(members);
    await emitTicks(db, [tickOf(emitter, null)], [emittedSignal(emitter, tick)]);
    expect(await now()).toMatchObject({ status: "done", fired: true, due_at: null });
  });
});

describe("a pause", () => {
  test("leaves no next tick, and a resume asks brokers for one", async () => {
    const { emitter, now } = await setup();
    expect(await setEmitterPause(db, emitter, "pause")).toBe("done");
    expect(await now()).toMatchObject({ status: "paused", next_tick_at: null, due_at: null });
    expect(await setEmitterPause(db, emitter, "resume")).toBe("done");
    expect(await setEmitterPause(db, emitter, "resume")).toBe("unchanged");
    const resumed = await now();
    expect(resumed).toMatchObject({ status: "active", next_tick_at: null });
    const next = new Date(Date.now() + hourMs);
    expect(await emitTicks(db, [tickOf(resumed, next)], [])).toMatchObject([
      { outcome: "planned" },
    ]);
    expect(await now()).toMatchObject({ next_tick_at: next, due_at: next, emit_count: 0 });
  });

  test("ends at its time", async () => {
    const { emitter, now } = await setup();
    const [row] = await db<{ until: Date }[]>`select svc_now() + interval '1 hour' as until`;
    expect(await setEmitterPause(db, emitter, "pause", row?.until)).toBe("done");
    const next = new Date(Date.now() + 2 * hourMs);
    expect(await emitTicks(db, [tickOf(await now(), next)], [])).toMatchObject([
      { outcome: "lost" },
    ]);
    await advanceClock(db, "61 minutes");
    expect(await emitTicks(db, [tickOf(await now(), next)], [])).toMatchObject([
      { outcome: "planned" },
    ]);
    expect(await now()).toMatchObject({ status: "active", next_tick_at: next });
  });

  test("is refused for one that is done, one that is not there, and an end that is past", async () => {
    const { emitter, id } = await setup();
    expect(await setEmitterPause(db, { ...emitter, id: "emt_1" }, "pause")).toBe("not-found");
    expect(await setEmitterPause(db, emitter, "pause", new Date(0))).toBe("past");
    expect(await setEmitterPause(db, { ...emitter, org_id: "org_1" }, "pause")).toBe("not-found");
    await db`update queue_emitters set status = 'done', next_tick_at = null, due_at = null where id = ${id}`;
    expect(await setEmitterPause(db, emitter, "resume")).toBe("ended");
  });
});

test("a queue that has an emitter is not deleted", async () => {
  const { queue, id } = await setup();
  const deleted = async () => {
    const [row] = await db<{ outcome: string }[]>`
      select delete_queue(${queue.orgId}, ${queue.queueId}) as outcome`;
    return row?.outcome;
  };
  expect(await deleted()).toBe("has-emitters");
  await db`select delete_emitter(${queue.orgId}, ${id})`;
  expect(await deleted()).toBe("deleted");
});
