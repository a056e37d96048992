import { afterEach, describe, expect, test } from "vitest";
import { newId } from "../../broker/database/new-id.ts";
import { advanceClock } from "../support/database/clock.ts";
import { testDatabase } from "../support/database/database.ts";
import { expectSoundSignals } from "../support/queues/expect-sound-signals.ts";
import {
  claimSignals,
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
    const callback = (n: number, statuses: string[]) => ({
      n,
      kind: "signal",
      statuses,
      next_id: newId("sig"),
      queue_id: target.queueId,
      type: "follow-up",
      runs: "pull",
      max_executions: 1,
      retry_delay: 1_000_000_000,
      contents: "e30=",
    });
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

  test("and that somebody holds have no clock, and end when that one says so", async () => {
    const queue = await givenQueue(db);
    const id = await givenSignal(db, queue, { runs: "hold", task: "advance" });
    await advanceClock(db, "1 year");
    await sweepSignals(db);
    expect(await signalStatus(db, id)).toBe("in-flight");
    const report = { n: 1, org_id: queue.orgId, signal_id: id, event: "fail" };
    await db`select report_signals(array(
      select s from json_populate_recordset(null::signal_report, ${JSON.stringify([report])}::text::json) s))`;
    expect(await signalStatus(db, id)).toBe("dead");
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
