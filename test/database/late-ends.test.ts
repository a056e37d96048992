import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { advanceClock, stopClock } from "../support/database/clock.ts";
import { testDatabase } from "../support/database/database.ts";
import { expectSoundSignals } from "../support/queues/expect-sound-signals.ts";
import {
  aFollowUp,
  aSignal,
  claimSignals,
  fileSignals,
  type GivenQueue,
  givenQueue,
  givenSignal,
  queueOf,
  reportSignal,
  signalStatus,
  sweepSignals,
} from "../support/queues/given-signals.ts";

const { db } = await testDatabase();

beforeAll(() => stopClock(db));
afterEach(() => expectSoundSignals(db));

const key = "install-1";
const shortLived = { dedupe_key: key, expires_in: 1_000_000_000 };

describe("a signal that has expired, before a sweep has said so", () => {
  test("keeps no other one out by its dedupe key", async () => {
    const queue = await givenQueue(db);
    const target = await givenQueue(db, { orgId: queue.orgId });
    const late = await givenSignal(db, queue, { ...shortLived, callbacks: [aFollowUp(target)] });
    await advanceClock(db, "1 s");
    const [next] = await fileSignals(db, [aSignal(queue, { dedupe_key: key })]);
    expect(next).toMatchObject({ outcome: "enqueued", status: "queued" });
    expect(await signalStatus(db, late)).toBe("expired");
    expect(await queueOf(db, target)).toMatchObject({ waiting: 1 });
    const [kept] = await fileSignals(db, [aSignal(queue, { dedupe_key: key })]);
    expect(kept).toMatchObject({ outcome: "kept", id: next?.id });
  });

  test("keeps its key while it is in flight: it is being executed", async () => {
    const queue = await givenQueue(db);
    const id = await givenSignal(db, queue, shortLived);
    await claimSignals(db, queue);
    await advanceClock(db, "2 s");
    const [kept] = await fileSignals(db, [aSignal(queue, { dedupe_key: key })]);
    expect(kept).toMatchObject({ outcome: "kept", id });
  });
});

describe("a held signal", () => {
  test.each(["cancel", "purge", "expire"])(
    "wakes its holder when it is ended by another: %s",
    async (by) => {
      const queue = await givenQueue(db);
      const waits = by === "expire";
      if (waits) await givenSignal(db, queue); // in front
      const id = await givenSignal(db, queue, { runs: "hold", task: "mine", ...shortLived });
      expect(await signalStatus(db, id)).toBe(waits ? "queued" : "in-flight");
      await db`delete from graphile_worker._private_jobs`;
      if (by === "cancel")
        await db`select * from cancel_signals(${queue.orgId}, ${[id]}::text[], 'why')`;
      if (by === "purge")
        await db`select purge_queue(${queue.orgId}, ${queue.queueId}, true, 'why', 100)`;
      if (waits) {
        await advanceClock(db, "1 s");
        await sweepSignals(db);
      }
      expect(await tasks()).toEqual([{ task: "mine", id, lease_id: null }]);
      if (waits) await reportFirst(queue);
    },
  );
});

describe("a callback that was still to be made when its signal was redriven", () => {
  const calls = (statuses: string[]) => [
    { ...aFollowUp({ queueId: "" } as GivenQueue), kind: "http-call", queue_id: null, statuses },
  ];

  test.each([
    { on: ["dead"], end: "finish", status: "failed" },
    { on: ["dead", "finished"], end: "finish", status: "pending" },
    { on: ["dead"], end: "fail", status: "pending" },
  ])("for $on is $status when it ends by $end", async ({ on, end, status }) => {
    const queue = await givenQueue(db);
    const id = await givenSignal(db, queue, { max_executions: 1, callbacks: calls(on) });
    await reportFirst(queue, "fail");
    expect(await signalStatus(db, id)).toBe("dead");
    await db`select * from redrive_signals(${queue.orgId}, ${queue.queueId}, ${[id]}::text[], 1)`;
    await reportFirst(queue, end);
    const [callback] = await db`
      select status, due_at is null as is_over from queue_signal_callbacks where signal_id = ${id}`;
    expect(callback).toEqual({ status, is_over: status === "failed" });
    const begun = await db`
      select * from queue_signal_callbacks c
       cross join lateral begin_callback(c.org_id, c.signal_id, c.n, c.begins) b where c.signal_id = ${id}`;
    expect(begun).toHaveLength(status === "failed" ? 0 : 1);
  });
});

async function reportFirst(queue: GivenQueue, event = "finish"): Promise<void> {
  const [claimed] = await claimSignals(db, queue);
  if (claimed !== undefined) await reportSignal(db, queue, claimed, event);
}

async function tasks() {
  return await db`
    select t.identifier as task, payload ->> 'signal_id' as id, payload ->> 'lease_id' as lease_id
      from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id`;
}
