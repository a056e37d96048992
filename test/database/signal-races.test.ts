import { afterEach, expect, test } from "vitest";
import { newId } from "../../broker/database/new-id.ts";
import { until } from "../support/broker/given-polling.ts";
import { testDatabase } from "../support/database/database.ts";
import { expectSoundSignals } from "../support/queues/expect-sound-signals.ts";
import {
  claimSignals,
  type GivenQueue,
  givenQueue,
  givenSignal,
  reportSignal,
} from "../support/queues/given-signals.ts";

const { db } = await testDatabase();

afterEach(() => expectSoundSignals(db));

const waiting = async (): Promise<number> => {
  const [row] = await db<{ n: number }[]>`
    select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  return row?.n ?? 0;
};

/** A callback that enqueues in a queue, whatever the end. */
const into = ({ queueId }: GivenQueue) => [
  {
    n: 1,
    kind: "signal",
    statuses: ["finished", "dead", "expired", "cancelled"],
    next_id: newId("sig"),
    queue_id: queueId,
    type: "follow-up",
    runs: "pull",
    max_executions: 1,
    retry_delay: 1_000_000_000,
    contents: "e30=",
  },
];

const cancel = ({ orgId }: GivenQueue, id: string) =>
  db`select * from cancel_signals(${orgId}, ${[id]}, 'why')`;
const redrive = ({ orgId, queueId }: GivenQueue, ids: string[] | null) =>
  db`select * from redrive_signals(${orgId}, ${queueId}, ${ids}::text[], 100)`;

/** A dead signal of a queue with a callback into another. */
async function dead(queue: GivenQueue, target: GivenQueue): Promise<string> {
  const callbacks = into(target).map((one) => ({ ...one, statuses: ["cancelled"] }));
  const id = await givenSignal(db, queue, { callbacks, max_executions: 1 });
  const claimed = (await claimSignals(db, queue, 100)).find((one) => one.id === id);
  if (claimed === undefined) throw new Error("it was not claimed");
  await reportSignal(db, queue, claimed, "give-up");
  return id;
}

async function twoQueues(): Promise<[GivenQueue, GivenQueue]> {
  const first = await givenQueue(db, { maxInFlight: 100 });
  const second = await givenQueue(db, { orgId: first.orgId, maxInFlight: 100 });
  return first.queueId < second.queueId ? [first, second] : [second, first];
}

test("a cancellation of a dead signal that is redriven meanwhile deadlocks with no end of another", async () => {
  const [queue, target] = await twoQueues();
  const id = await dead(queue, target);
  await givenSignal(db, queue, { callbacks: into(target) });
  const [other] = await claimSignals(db, queue);
  if (other === undefined) throw new Error("nothing was claimed");
  const locked = Promise.withResolvers<void>();
  const free = Promise.withResolvers<void>();
  const holder = db.begin(async (held) => {
    await held`select lock_signal_queues(${[target.queueId]})`;
    locked.resolve();
    await free.promise;
  });
  await locked.promise;
  const acts: Promise<unknown>[] = [Promise.resolve(cancel(queue, id))];
  await until(async () => (await waiting()) === 1);
  let isRedriven = false;
  acts.push(redrive(queue, [id]).then(() => (isRedriven = true)));
  await until(async () => isRedriven || (await waiting()) === 2);
  acts.push(reportSignal(db, queue, other, "finish"));
  await until(async () => (await waiting()) === (isRedriven ? 2 : 3));
  free.resolve();
  await holder;
  await Promise.all(acts); // Postgres would end one of them with 40P01
});

test("whatever is done at once with queues that call back to each other, nobody deadlocks", async () => {
  const [first, second] = await twoQueues();
  for (let round = 0; round < 15; round++) {
    const ids = await Promise.all([dead(first, second), dead(second, first)]);
    await givenSignal(db, first, { callbacks: into(second) });
    await givenSignal(db, second, { callbacks: into(first) });
    const ends = [first, second].map(async (queue) => {
      const claimed = await claimSignals(db, queue, 100);
      await Promise.all(claimed.map((one) => reportSignal(db, queue, one, "fail")));
    });
    await Promise.all([
      ...ends,
      ...[first, second].flatMap((queue) => [
        redrive(queue, null),
        ...ids.map((id) => cancel(queue, id)),
        db`select * from purge_queue(${queue.orgId}, ${queue.queueId}, true, 'why', 50)`,
        db`select sweep_signals(100)`,
      ]),
    ]);
    for (const { orgId, queueId } of [first, second])
      await db`select * from purge_queue(${orgId}, ${queueId}, true, 'why', 1000)`;
  }
});

test("a redrive takes no more than the queue has room for by bytes, those of callbacks included", async () => {
  const [queue, target] = await twoQueues();
  const ids = [await dead(queue, target), await dead(queue, target)];
  const [row] = await db<{ bytes: number }[]>`
    select stored_size(f) as bytes from queue_signals f where f.id = ${ids[0] ?? ""}`;
  const size = row?.bytes ?? 0;
  expect(size).toBe(4); // two bytes of data, two of the callback's
  const leave = (bytes: number) => db`
    update queue_counters set bytes = queue_max_bytes() - ${bytes} where queue_id = ${queue.queueId}`;
  await leave(2 * size - 1);
  const rows = await redrive(queue, ids);
  await db`update queue_counters set bytes = bytes - queue_max_bytes() + ${2 * size - 1} where queue_id = ${queue.queueId}`;
  const outcomes = rows.flatMap((one) => (one["outcome"] as string | null) ?? []);
  expect(outcomes.toSorted()).toEqual(["full", "redriven"]);
  expect(await redrive(queue, [ids[1] ?? ""])).toMatchObject([{ outcome: "redriven" }, {}]);
});
