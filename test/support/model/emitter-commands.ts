import type fc from "fast-check";
import { expect } from "vitest";
import { newId } from "../../../broker/database/new-id.ts";
import type { EmittingParts } from "../../../broker/emitters/plan-signals.ts";
import { jitterMs, type ScheduleInput } from "../../../broker/emitters/read-schedule.ts";
import { advanceClock } from "../database/clock.ts";
import { emitAll, givenScheduled, patchEmitter } from "../queues/emitting.ts";
import { expectSoundSignals } from "../queues/expect-sound-signals.ts";
import { setEmitterPause } from "../queues/given-emitters.ts";
import { claimSignals, type GivenQueue, reportSignal } from "../queues/given-signals.ts";
import type { EmitterModel, ModelEmitter, ModelSchedule, Policies } from "./emitter-model.ts";
import { pick } from "./job-commands.ts";

type Real = { readonly broker: EmittingParts; readonly queue: GivenQueue };
export type EmitterCommand = fc.AsyncCommand<EmitterModel, Real>;
/** Times from now. */
export type WishedSchedule =
  | { readonly kind: "every"; readonly minutes: number; readonly window: number }
  | { readonly kind: "scheduled" | "delayed"; readonly inMs: number };

type Act = (model: EmitterModel, real: Real, one: ModelEmitter) => Promise<void>;

/** After each command everything that is stored is as the model says. */
function command(
  words: string,
  act: (model: EmitterModel, real: Real) => Promise<void>,
): EmitterCommand {
  return {
    check: () => true,
    toString: () => words,
    run: async (model, real) => {
      await act(model, real);
      await expectAgreement(model, real);
    },
  };
}

const onOne = (words: string, which: number, act: Act): EmitterCommand =>
  command(`${words} ${which}`, async (model, real) => {
    const one = pick(model.emitters, which);
    if (one !== undefined) await act(model, real, one);
  });

export const create = (wished: WishedSchedule, policies: Policies): EmitterCommand =>
  command(`create ${JSON.stringify({ wished, policies })}`, async (model, { broker, queue }) => {
    const mode = { every: "cron", scheduled: "scheduled", delayed: "fire_once" } as const;
    const members = wished.kind === "every" ? membersOf(policies) : {};
    const id = await givenScheduled(broker.db, queue, {
      ...members,
      ...inputOf(model, wished),
      mode: mode[wished.kind],
    });
    model.create(id, scheduleOf(model, id, wished), policies);
  });

const membersOf = ({ missed, most, skipsOverlap }: Policies) => ({
  missed_policy: missed,
  missed_limit: most,
  overlap_policy: skipsOverlap ? "skip" : "allow",
});

function inputOf({ now }: EmitterModel, wished: WishedSchedule): ScheduleInput {
  if (wished.kind === "every") {
    const { minutes, window } = wished;
    const cron_schedule = minutes === 60 ? "0 * * * *" : `*/${minutes} * * * *`;
    return { cron_schedule, jitter_window: Math.floor(minutes * window) * 60e9 };
  }
  return wished.kind === "scheduled"
    ? { scheduled_at: new Date(now + wished.inMs).toISOString() }
    : { delay: wished.inMs * 1e6 };
}

function scheduleOf(model: EmitterModel, id: string, wished: WishedSchedule): ModelSchedule {
  if (wished.kind !== "every") return { kind: "once", at: model.now + wished.inMs };
  const { jitter_window: windowNs = 0 } = inputOf(model, wished);
  return { kind: "every", minutes: wished.minutes, windowNs, jitterMs: jitterMs(id, windowNs) };
}

/** To another schedule of its kind. */
export const reschedule = (which: number, wished: WishedSchedule): EmitterCommand =>
  onOne(`change to ${JSON.stringify(wished)}`, which, async (model, { broker, queue }, one) => {
    const isCron = one.schedule.kind === "every";
    if (isCron !== (wished.kind === "every")) return;
    const [row] = await broker.db<{ mode: string }[]>`
      select mode from queue_emitters where id = ${one.id}`;
    const kind = row?.mode === "fire_once" ? "delayed" : "scheduled";
    const fit = wished.kind === "every" ? wished : ({ ...wished, kind } as const);
    if (await isSame(broker, one, inputOf(model, fit))) return;
    await patchEmitter(broker, queue.orgId, one.id, inputOf(model, fit));
    model.reschedule(one, scheduleOf(model, one.id, fit));
  });

/** The same delay again is no change: it does not begin anew. */
async function isSame({ db }: EmittingParts, { id }: ModelEmitter, { delay }: ScheduleInput) {
  const [row] = await db<{ delay: number | null }[]>`
    select delay from queue_emitters where id = ${id}`;
  return delay !== undefined && row?.delay === delay;
}

export const setPolicies = (which: number, policies: Policies): EmitterCommand =>
  onOne(`set ${JSON.stringify(policies)}`, which, async (_, { broker, queue }, one) => {
    if (one.schedule.kind === "once") return;
    await patchEmitter(broker, queue.orgId, one.id, membersOf(policies));
    Object.assign(one, policies);
  });

export const pause = (which: number, forMs: number | null): EmitterCommand =>
  onOne(`pause ${forMs ?? ""}`, which, async (model, { broker, queue }, { id, ...rest }) => {
    const one = model.emitters.find((emitter) => emitter.id === id) ?? { id, ...rest };
    const until = forMs === null ? null : model.now + forMs;
    const told = model.pause(one, until);
    const named = { org_id: queue.orgId, id };
    const end = until === null ? null : new Date(until);
    expect(await setEmitterPause(broker.db, named, "pause", end)).toBe(told);
  });

export const resume = (which: number): EmitterCommand =>
  onOne("resume", which, async (model, { broker, queue }, one) => {
    const told = model.resume(one);
    const named = { org_id: queue.orgId, id: one.id };
    expect(await setEmitterPause(broker.db, named, "resume")).toBe(told);
  });

export const fire = (which: number): EmitterCommand =>
  onOne("fire", which, async (model, { broker: { db }, queue }, one) => {
    model.fire(one);
    const signal = JSON.stringify({ id: newId("sig"), contents: "e30=" });
    const [fired] = await db<{ outcome: string }[]>`
      select f.outcome from queue_emitters e
       cross join lateral fire_emitter(${queue.orgId}, e.id, e.version, ${signal}::text::json, 'acc_1') f
       where e.id = ${one.id}`;
    expect(fired?.outcome).toBe("enqueued");
  });

/** Workers finish every signal. */
export const work = (): EmitterCommand =>
  command("work", async (model, { broker: { db }, queue }) => {
    model.work();
    for (let some = 1; some > 0;) {
      const claimed = await claimSignals(db, queue, 100);
      some = claimed.length;
      for (const one of claimed) await reportSignal(db, queue, one, "finish");
    }
  });

/** Time passes; then brokers look, or are down until later. */
export const pass = (ms: number, isLooked: boolean): EmitterCommand =>
  command(`${ms} ms pass${isLooked ? "" : ", brokers are down"}`, async (model, { broker }) => {
    model.now += ms;
    await advanceClock(broker.db, `${ms} milliseconds`);
    if (!isLooked) return;
    model.look();
    await emitAll(broker);
  });

async function expectAgreement(model: EmitterModel, { broker: { db } }: Real): Promise<void> {
  const rows = await db<
    {
      id: string;
      status: string;
      next: Date | null;
      emit_at: Date | null;
      emit_count: number;
      skip_count: number;
      fired: boolean;
      emitted: Date[] | null;
    }[]
  >`
    select e.id, e.status, e.next_tick_at as next, e.next_emit_at as emit_at, e.emit_count, e.skip_count, e.fired,
           (select array_agg(s.scheduled_for order by s.id) from queue_signals s
             where s.emitter_id = e.id and s.scheduled_for is not null) as emitted
      from queue_emitters e order by e.id`;
  const stored = rows.map(({ next, emit_at, emitted, ...rest }) => ({
    ...rest,
    next: next === null || emit_at === null ? null : [next.toISOString(), emit_at.toISOString()],
    emitted: (emitted ?? []).map((at) => at.toISOString()),
  }));
  const iso = (at: number): string => new Date(at).toISOString();
  const told = model.emitters.map((one) => ({
    id: one.id,
    status: one.status,
    emit_count: one.emitCount,
    skip_count: one.skipCount,
    fired: one.fired,
    next: one.next && [iso(one.next.at), iso(one.next.emitAt)],
    emitted: one.emitted.map(iso),
  }));
  expect(stored).toEqual(told.toSorted((a, b) => (a.id < b.id ? -1 : 1)));
  await expectSoundSignals(db);
}
