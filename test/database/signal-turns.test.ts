import { afterEach, describe, expect, test } from "vitest";
import { advanceClock, stopClock } from "../support/database/clock.ts";
import { testDatabase } from "../support/database/database.ts";
import { expectSoundSignals } from "../support/queues/expect-sound-signals.ts";
import {
  aFollowUp,
  aSignal,
  claimSignals,
  fileSignals,
  givenQueue,
  givenSignal,
  queueOf,
  reportSignal,
  signalStatus,
  sweepSignals,
} from "../support/queues/given-signals.ts";

const { db } = await testDatabase();

afterEach(() => expectSoundSignals(db));

describe("callbacks of a signal", () => {
  test("are enqueued with its end, past the depth of their queue, and only for the ends they name", async () => {
    const queue = await givenQueue(db);
    const target = await givenQueue(db, { orgId: queue.orgId, maxDepth: 1 });
    await givenSignal(db, target);
    const callback = (n: number, statuses: string[]) => aFollowUp(target, { n, statuses });
    const callbacks = [callback(1, ["finished"]), callback(2, ["dead"])];
    const id = await givenSignal(db, queue, { callbacks });
    const [claimed] = await claimSignals(db, queue);
    if (claimed === undefined) throw new Error("nothing was claimed");
    await reportSignal(db, queue, claimed, "finish");
    expect(await queueOf(db, target)).toMatchObject({ waiting: 2 });
    const rows = await db`
      select n, status from queue_signal_callbacks where signal_id = ${id} order by n`;
    expect(rows).toMatchObject([
      { n: 1, status: "done" },
      { n: 2, status: "skipped" },
    ]);
    const [next] =
      await db`select caused_by from queue_signals where id = ${callbacks[0]?.next_id ?? ""}`;
    expect(next).toMatchObject({ caused_by: id });
  });
});

describe("signals that brokers run", () => {
  test("begin in their turn, as tasks, and wait for those before them", async () => {
    const queue = await givenQueue(db);
    const mine = await givenSignal(db, queue);
    const own = await givenSignal(db, queue, { runs: "task", task: "run-signal" });
    expect(await queueOf(db, queue)).toMatchObject({ own_turns: 1, in_flight: 0 });
    const [claimed] = await claimSignals(db, queue, 5);
    expect(claimed?.id).toBe(mine);
    if (claimed !== undefined) await reportSignal(db, queue, claimed, "finish");
    expect(await signalStatus(db, own)).toBe("in-flight");
    const tasks = await db`
      select payload ->> 'signal_id' as id from graphile_worker._private_jobs j
        join graphile_worker._private_tasks t on t.id = j.task_id where t.identifier = 'run-signal'`;
    expect(tasks).toEqual([{ id: own }]);
  });

  test("and that somebody holds have no lease, and end when that one says so", async () => {
    const queue = await givenQueue(db);
    const id = await givenSignal(db, queue, { runs: "hold", task: "advance" });
    await advanceClock(db, "1 year");
    await sweepSignals(db);
    expect(await signalStatus(db, id)).toBe("in-flight");
    expect(await reportSignal(db, queue, { id, lease_id: null }, "fail")).toBe("done");
    expect(await signalStatus(db, id)).toBe("dead");
  });
});

describe("the holder of a signal that has not ended it", () => {
  const wakesOf = async (id: string): Promise<number> => {
    const rows = await db`
      select from graphile_worker._private_jobs where payload ->> 'signal_id' = ${id}`;
    return rows.length;
  };
  /** The tasks that wake it are lost, or taken: how many seconds until there is one again? */
  const secondsToNextWake = async (id: string): Promise<number> => {
    await db`delete from graphile_worker._private_jobs where payload ->> 'signal_id' = ${id}`;
    for (let seconds = 0; ; seconds += 10) {
      await db`select sweep_signals(100)`;
      if ((await wakesOf(id)) > 0) return seconds;
      await advanceClock(db, "10 s");
    }
  };

  test("is woken again after 30 s, and then ever more rarely, by ten minutes at most", async () => {
    await stopClock(db);
    const queue = await givenQueue(db);
    const id = await givenSignal(db, queue, { runs: "hold", task: "advance" });
    const waits: number[] = [];
    for (let nth = 0; nth < 7; nth += 1) waits.push(await secondsToNextWake(id));
    expect(waits).toEqual([30, 60, 120, 240, 480, 600, 600]);
    await reportSignal(db, queue, { id, lease_id: null }, "extend");
    expect(await secondsToNextWake(id)).toBe(600);
    await reportSignal(db, queue, { id, lease_id: null }, "finish");
    expect(await signalStatus(db, id)).toBe("finished");
  });

  test("has one task that waits, however often it is woken", async () => {
    const queue = await givenQueue(db);
    const id = await givenSignal(db, queue, { runs: "hold", task: "advance" });
    for (let nth = 0; nth < 3; nth += 1) {
      await advanceClock(db, "11 minutes");
      await sweepSignals(db);
      expect(await wakesOf(id)).toBe(1);
    }
    await reportSignal(db, queue, { id, lease_id: null }, "finish");
  });

  test("is one of at most so many whom one look wakes", async () => {
    const queue = await givenQueue(db, { maxInFlight: 20 });
    const signals = Array.from({ length: 20 }, () =>
      aSignal(queue, { runs: "hold", task: "advance" }),
    );
    await fileSignals(db, signals);
    await advanceClock(db, "31 s");
    const swept: number[] = [];
    for (let nth = 0; nth < 4; nth += 1) {
      const [row] = await db<{ due: number }[]>`select due from sweep_signals(8)`;
      swept.push(row?.due ?? 0);
    }
    expect(swept).toEqual([8, 8, 4, 0]);
  });
});

describe("a paused queue", () => {
  test("takes signals and begins none, until it is resumed or its pause is over", async () => {
    const queue = await givenQueue(db);
    await db`select set_queue_pause(${queue.orgId}, ${queue.queueId}, 'pause', 'a note', svc_now() + interval '1 hour', 'acc_1')`;
    const own = await givenSignal(db, queue, { runs: "task", task: "run-signal" });
    expect(await claimSignals(db, queue)).toEqual([]);
    expect(await signalStatus(db, own)).toBe("queued");
    await advanceClock(db, "61 minutes");
    await sweepSignals(db);
    expect(await queueOf(db, queue)).toMatchObject({ status: "active" });
    expect(await signalStatus(db, own)).toBe("in-flight");
  });
});

describe("a queue without signals", () => {
  test("goes idle after its idle timeout, and wakes with the next", async () => {
    const queue = await givenQueue(db, { idleNs: 60_000_000_000 });
    await advanceClock(db, "50 seconds");
    const id = await givenSignal(db, queue);
    await advanceClock(db, "11 seconds");
    await sweepSignals(db);
    expect(await queueOf(db, queue)).toMatchObject({ status: "active" });
    await db`select cancel_signals(${queue.orgId}, ${[id]}, 'not needed')`;
    await advanceClock(db, "61 seconds");
    await sweepSignals(db);
    expect(await queueOf(db, queue)).toMatchObject({ status: "idle" });
    await givenSignal(db, queue);
    expect(await queueOf(db, queue)).toMatchObject({ status: "active", waiting: 1 });
  });
});

describe("a poison signal", () => {
  test("dies, comes back by redrive with all its executions, and can be finished", async () => {
    const queue = await givenQueue(db);
    const id = await givenSignal(db, queue, { max_executions: 1 });
    const [first] = await claimSignals(db, queue);
    if (first === undefined) throw new Error("nothing was claimed");
    await reportSignal(db, queue, first, "fail");
    expect(await signalStatus(db, id)).toBe("dead");
    const rows = await db`
      select * from redrive_signals(${queue.orgId}, ${queue.queueId}, null, 100) where signal_id is not null`;
    expect(rows).toMatchObject([{ signal_id: id, outcome: "redriven" }]);
    const [second] = await claimSignals(db, queue);
    if (second === undefined) throw new Error("nothing was claimed");
    expect(await reportSignal(db, queue, second, "finish")).toBe("done");
    expect(await signalStatus(db, id)).toBe("finished");
  });

  test("is purged with the others, and those in flight only if asked", async () => {
    const queue = await givenQueue(db, { maxInFlight: 2 });
    const ids = [await givenSignal(db, queue), await givenSignal(db, queue)];
    await claimSignals(db, queue, 1);
    await db`select purge_queue(${queue.orgId}, ${queue.queueId}, false, 'purged', 100)`;
    expect(await Promise.all(ids.map((id) => signalStatus(db, id)))).toEqual([
      "in-flight",
      "cancelled",
    ]);
    await db`select purge_queue(${queue.orgId}, ${queue.queueId}, true, 'purged', 100)`;
    expect(await Promise.all(ids.map((id) => signalStatus(db, id)))).toEqual([
      "cancelled",
      "cancelled",
    ]);
  });
});
