import { onTestFinished, test } from "vitest";
import { keySource } from "../../broker/seals/key-source.ts";
import { openSeals } from "../../broker/seals/seals.ts";
import { type BrokerProcess, startBrokerProcess } from "../support/broker/broker-process.ts";
import { until } from "../support/broker/given-polling.ts";
import { testSealKeys } from "../support/broker/seal-keys.ts";
import { advanceClock } from "../support/database/clock.ts";
import { testDatabase } from "../support/database/database.ts";
import { type Gate, givenGates } from "../support/database/gates.ts";
import { expectSoundSignals } from "../support/queues/expect-sound-signals.ts";
import {
  expectEndedOnce,
  fileCall,
  type FiledTurn,
  fileEmitterMove,
  fileFlushOfJobs,
  fileFlushOfSignals,
  fileJob,
  fileTurn,
} from "../support/queues/filed-turns.ts";
import { givenQueue } from "../support/queues/given-signals.ts";
import { startReceiver } from "../support/queues/start-receiver.ts";

const { db, url } = await testDatabase();
const seals = await openSeals(keySource(testSealKeys));
const parts = { db, seals };

const close = await givenGates(db, [
  {
    name: "begin",
    table: "queue_signal_live",
    on: "update",
    when: "old.worker is null and new.worker like 'broker %'",
  },
  { name: "job_made", table: "runner_jobs", on: "insert", when: "true" },
  {
    name: "emitter_moved",
    table: "queue_emitters",
    on: "update",
    when: "old.status <> new.status",
  },
  {
    name: "job_flushed",
    table: "runner_job_ends",
    on: "insert",
    when: "new.status = 'not-attempted'",
  },
  {
    name: "signal_flushed",
    table: "queue_signal_ends",
    on: "insert",
    when: "new.status = 'cancelled'",
  },
  {
    name: "job_awaited",
    table: "queue_signal_live",
    on: "update",
    when: "old.awaits_job is null and new.awaits_job is not null",
  },
  { name: "turn_ended", table: "queue_signal_ends", on: "insert", when: "new.status = 'finished'" },
]);

/** Every statement that is held has a connection, and waits as long as the test does. */
const settings = { SVC_POOL_SIZE: "40", SVC_LOCK_WAIT_MS: "20000" };

async function start(): Promise<BrokerProcess> {
  const broker = await startBrokerProcess(url, { settings });
  onTestFinished(() => broker.kill());
  return broker;
}

/** A broker begins what was filed, comes to the gates, and is killed there; then its statements are lost, or go through. */
async function killedAt(
  gates: readonly string[],
  {
    fate,
    all,
    untilThere,
  }: {
    readonly fate: "lost" | "done";
    readonly all: readonly FiledTurn[];
    readonly untilThere: (gate: Gate) => Promise<unknown>;
  },
): Promise<void> {
  const gate = await close(gates);
  const dying = await start();
  await untilThere(gate);
  if (fate === "done") await start(); // another lives on, or one is started later
  await dying.kill();
  await (fate === "done" ? gate.open() : gate.lose());
  if (fate === "lost") await start();
  for (const { comesLate } of all) await comesLate?.();
  await advanceClock(db, "61 s");
}

const effects = ["job_made", "emitter_moved", "job_flushed", "signal_flushed"];
const ends = ["job_awaited", "turn_ended"];
const isLateIncluded = true;

test.each([
  ["begins it", "lost", ["begin"], { executions: 1, isRepeated: false, isLateIncluded }],
  ["begins it", "done", ["begin"], { executions: 2, isRepeated: false, isLateIncluded }],
  ["does what it is for", "lost", effects, { executions: 2, isRepeated: true, isLateIncluded }],
  ["does what it is for", "done", effects, { executions: 2, isRepeated: true, isLateIncluded }],
  ["writes its end", "lost", ends, { executions: 2, isRepeated: true, isLateIncluded }],
  ["writes its end", "done", ends, { executions: 1, isRepeated: false, isLateIncluded: false }],
] as const)(
  "a turn of each type, killed while a broker %s, and that is %s: each signal ends once",
  async (_, fate, gates, expected) => {
    const isHeldOutside = gates === effects; // by the receiver, and a noop has none
    const never = Promise.withResolvers<{ status: number }>();
    const receiver = await startReceiver({
      "/": (nth) => (nth === 1 && isHeldOutside ? never.promise : { status: 200 }),
    });
    const held = [
      await fileJob(parts, "end"),
      await fileEmitterMove(parts, "emitter-start"),
      await fileEmitterMove(parts, "emitter-stop"),
      await fileFlushOfJobs(parts),
      await fileFlushOfSignals(parts),
    ];
    const others = [await fileCall(parts, receiver)];
    if (!isHeldOutside) others.push(await fileTurn(parts, await givenQueue(db), "noop", {}));
    const all = [...held, ...others];
    await killedAt(gates, {
      fate,
      all,
      untilThere: async (gate) => {
        await gate.untilWaiting((isHeldOutside ? held : all).length);
        await until(async () => !isHeldOutside || receiver.received.length === 1);
      },
    });
    for (const filed of all) await expectEndedOnce(parts, filed, expected);
    await expectSoundSignals(db);
  },
);

test.each(["lost", "done"] as const)(
  "a job that nobody waits for, whose enqueue a broker was killed in, and that was %s: it is enqueued once",
  async (fate) => {
    const filed = await fileJob(parts, "enqueue");
    const untilThere = (gate: Gate) => gate.untilWaiting(1);
    await killedAt(["job_made"], { fate, all: [], untilThere });
    await expectEndedOnce(parts, filed, { executions: 2, isRepeated: true, isLateIncluded });
    await expectSoundSignals(db);
  },
);

test.each(["lost", "done"] as const)(
  "the end of a job that a broker was killed in telling its signal, and that was %s: the signal ends once",
  async (fate) => {
    const filed = await fileJob(parts, "end");
    const gate = await close(["turn_ended"]);
    const dying = await start();
    await filed.helps?.();
    await gate.untilWaiting(1);
    await dying.kill();
    await (fate === "done" ? gate.open() : gate.lose());
    await start();
    await expectEndedOnce(
      parts,
      { id: filed.id, followers: filed.followers },
      { executions: 1, isRepeated: false, isLateIncluded },
    );
    await expectSoundSignals(db);
  },
);
