import type fc from "fast-check";
import { expect } from "vitest";
import type { Db } from "../../../broker/database/connect.ts";
import { newId } from "../../../broker/database/new-id.ts";
import { advanceClock } from "../database/clock.ts";
import { expectSoundSignals } from "../queues/expect-sound-signals.ts";
import {
  aSignal,
  claimSignals,
  fileSignals,
  type GivenQueue,
  reportSignal,
  sweepSignals,
} from "../queues/given-signals.ts";
import { expectAgreement } from "./expect-agreement.ts";
import { pick } from "./job-commands.ts";
import { type Draft, type ModelSignal, retryDelayMs, type Runs } from "./model-signal.ts";
import type { SignalModel } from "./signal-model.ts";

type Real = { readonly db: Db; readonly queue: GivenQueue };
export type SignalCommand = fc.AsyncCommand<SignalModel, Real>;
export type Wish = {
  readonly runs: Runs;
  readonly dedupeKey: string | null;
  readonly maxExecutions: number;
  readonly expiresInMs: number | null;
  /** The ends that a callback follows; none: no callback. */
  readonly on: readonly string[];
};

/** After each command everything that is stored is as the model says. */
function command(
  words: string,
  act: (model: SignalModel, real: Real) => Promise<unknown>,
): SignalCommand {
  return {
    check: () => true,
    toString: () => words,
    run: async (model, real) => {
      await act(model, real);
      await expectAgreement(real.db, real.queue, model);
      await expectSoundSignals(real.db);
    },
  };
}

export const enqueue = (wishes: readonly Wish[]): SignalCommand =>
  command(`enqueue ${JSON.stringify(wishes)}`, async (model, { db, queue }) => {
    const drafts = wishes.map(({ on, ...wish }): Draft => ({
      ...wish,
      id: newId("sig"),
      callback: on.length === 0 ? null : { on, nextId: newId("sig"), status: "waiting" },
    }));
    const told = model.enqueue(drafts);
    const rows = await fileSignals(
      db,
      drafts.map((draft) => aSignal(queue, membersOf(queue, draft))),
    );
    const answers = rows.map(({ outcome, id }) => (id === null ? { outcome } : { outcome, id }));
    const byText = (all: readonly object[]) => all.map((one) => JSON.stringify(one)).toSorted();
    expect(byText(answers)).toEqual(byText(told));
  });

function membersOf({ queueId }: GivenQueue, draft: Draft) {
  const { id, runs, dedupeKey, maxExecutions, expiresInMs, callback } = draft;
  const next = {
    n: 1,
    kind: "signal",
    queue_id: queueId,
    type: "work",
    runs: "pull",
    max_executions: 2,
    retry_delay: retryDelayMs * 1e6,
    contents: "e30=",
  };
  return {
    id,
    runs,
    task: runs === "pull" ? null : `${runs}-signal`,
    dedupe_key: dedupeKey,
    max_executions: maxExecutions,
    retry_delay: retryDelayMs * 1e6,
    expires_in: expiresInMs === null ? null : expiresInMs * 1e6,
    callbacks: callback && [{ ...next, next_id: callback.nextId, statuses: callback.on }],
  };
}

export const claim = (wanted: number, claimId: string | null): SignalCommand =>
  command(`claim ${wanted} as ${claimId}`, async (model, { db, queue }) => {
    const told = model.claim(wanted, claimId);
    const claimed = await claimSignals(db, queue, wanted, claimId);
    expect(claimed.map(({ id }) => id)).toEqual(told);
  });

/** With a lease that was handed out some time; a held signal is also spoken for without one. */
export const report = (which: number, event: string): SignalCommand =>
  command(`report ${event} of ${which}`, async (model, { db, queue }) => {
    const held = model.live("in-flight").filter(({ runs }) => runs === "hold");
    const current = model.live("in-flight").map(({ id, leaseId }) => ({ id, leaseId }));
    const free = held.map(({ id }) => ({ id, leaseId: null }));
    const said = pick([...current, ...free, ...current, ...model.leases], which);
    const signal = model.signals.get(said?.id ?? "");
    if (said === undefined || signal === undefined) return;
    const told = model.report(signal, said.leaseId, event);
    const about = { id: said.id, lease_id: said.leaseId };
    expect(await reportSignal(db, queue, about, event)).toBe(told);
  });

const turnOf = (model: SignalModel, which: number): ModelSignal | undefined =>
  pick(
    model.live("in-flight").filter(({ runs }) => runs === "task"),
    which,
  );

/** A broker begins a turn; one that was begun has its beginner. */
export const begin = (which: number): SignalCommand =>
  command("begin a turn", async (model, { db, queue }) => {
    const signal = turnOf(model, which);
    if (signal === undefined) return;
    const { leaseId: offered } = signal;
    const isBegun = model.begin(signal);
    const begun = await db`
      select * from begin_turn(${queue.orgId}, ${signal.id}, ${offered}, ${crypto.randomUUID()}, 'broker 1')`;
    expect(begun).toHaveLength(isBegun ? 1 : 0);
  });

/** A broker has no room for a turn, whether or not it has begun it. */
export const putOff = (which: number): SignalCommand =>
  command("put a turn off", async (model, { db }) => {
    const signal = turnOf(model, which);
    if (signal === undefined || signal.backlogged !== null) return;
    model.putOff(signal);
    await db`select put_off_turns(${[signal.id]}, ${[signal.leaseId ?? ""]})`;
  });

/** A broker has room for so many. */
export const takeBacklog = (most: number): SignalCommand =>
  command(`take ${most} from the backlog`, async (model, { db, queue }) => {
    const told = model.takeBacklog(most);
    const rows = await db<{ id: string }[]>`
      select signal_id as id from take_backlog(${queue.orgId}, 'work', ${most})`;
    expect(rows.map(({ id }) => id).toSorted()).toEqual(told.toSorted());
  });

export const cancel = (which: number): SignalCommand =>
  command("cancel", async (model, { db, queue }) => {
    const signal = pick([...model.signals.values()], which);
    if (signal === undefined) return;
    const isLive = model.live().includes(signal);
    const told = isLive ? "cancelled" : signal.status === "cancelled" ? "already" : "ended";
    if (isLive) model.cancel([signal]);
    const rows = await db<{ outcome: string | null }[]>`
      select outcome from cancel_signals(${queue.orgId}, ${[signal.id]}, 'why') where outcome is not null`;
    expect(rows.map(({ outcome }) => outcome)).toEqual([told]);
  });

export const purge = (withInFlight: boolean): SignalCommand =>
  command(`purge${withInFlight ? " all" : ""}`, async (model, { db, queue }) => {
    model.cancel(withInFlight ? model.live() : model.live("queued", "retrying"));
    await db`select from purge_queue(${queue.orgId}, ${queue.queueId}, ${withInFlight}, 'why', 1000)`;
  });

export const redrive = (which: number | null): SignalCommand =>
  command(`redrive ${which ?? "all"}`, async (model, { db, queue }) => {
    const one = which === null ? undefined : pick([...model.signals.keys()], which);
    const ids = one === undefined ? null : [one];
    const told = model.redrive(ids);
    const rows = await db<{ signal_id: string }[]>`
      select signal_id from redrive_signals(${queue.orgId}, ${queue.queueId}, ${ids}::text[], 1000)
       where outcome = 'redriven'`;
    expect(rows.map(({ signal_id: id }) => id).toSorted()).toEqual(told);
  });

export const pause = (forMs: number | null): SignalCommand =>
  command(`pause ${forMs ?? ""}`, async (model, { db, queue }) => {
    model.setPause(forMs === null ? null : model.now + forMs);
    await db`
      select from set_queue_pause(${queue.orgId}, ${queue.queueId}, 'pause', 'a note',
                                  svc_now() + ${forMs}::int * interval '1 ms', 'acc_1')`;
  });

export const resume = (): SignalCommand =>
  command("resume", async (model, { db, queue }) => {
    const told = model.isPaused ? "done" : "unchanged";
    if (model.isPaused) model.resume();
    const [row] = await db<{ outcome: string }[]>`
    select outcome from set_queue_pause(${queue.orgId}, ${queue.queueId}, 'resume', null, null, 'acc_1')`;
    expect(row?.outcome).toBe(told);
  });

export const setBounds = (maxDepth: number, maxInFlight: number): SignalCommand =>
  command(`max_depth ${maxDepth}, max_in_flight ${maxInFlight}`, async (model, { db, queue }) => {
    model.setBounds({ maxDepth, maxInFlight });
    await db`
      select from change_queue(${queue.orgId}, ${queue.queueId}, null, null, ${maxDepth}, ${maxInFlight}, null, null)`;
  });

/** Time passes; then brokers act on what is due, as often as there is something. */
export const pass = (seconds: number): SignalCommand =>
  command(`${seconds} s pass`, async (model, { db }) => {
    model.now += seconds * 1000;
    model.sweep();
    await advanceClock(db, `${seconds} s`);
    for (let due = 1; due > 0;) {
      const [row] = await db<{ due: number }[]>`select (sweep_signals(1000)).due`;
      due = row?.due ?? 0;
    }
    await sweepSignals(db);
  });
