import { afterEach, expect, test } from "vitest";
import { advanceClock } from "../support/database/clock.ts";
import { testDatabase } from "../support/database/database.ts";
import { expectSoundSignals } from "../support/queues/expect-sound-signals.ts";
import {
  aSignal,
  claimSignals,
  fileSignals,
  givenQueue,
  givenSignal,
  reportSignal,
  signalStatus,
  sweepSignals,
} from "../support/queues/given-signals.ts";

const { db } = await testDatabase();

afterEach(() => expectSoundSignals(db));

test("a signal's history stays short, however often it fails and comes back", async () => {
  const queue = await givenQueue(db);
  const id = await givenSignal(db, queue, { max_executions: 100 });
  for (let at = 0; at < 30; at++) {
    const [claimed] = await claimSignals(db, queue);
    if (claimed === undefined) throw new Error("nothing was claimed");
    const report = {
      n: 1,
      org_id: queue.orgId,
      signal_id: id,
      lease_id: claimed.lease_id,
      event: "fail",
      description: "x".repeat(16_000),
    };
    await db`select report_signals(array(
      select s from json_populate_recordset(null::signal_report, ${JSON.stringify([report])}::text::json) s))`;
    await advanceClock(db, "2 hours");
    await sweepSignals(db);
  }
  const [row] = await db<{ entries: number; letters: number; first: string }[]>`
    select jsonb_array_length(history) as entries, length(history::text) as letters, history -> 0 ->> 'status' as first
      from queue_signal_live where id = ${id}`;
  expect(row).toMatchObject({ entries: 20, first: "in-flight" });
  expect(row?.letters).toBeLessThan(20_000);
});

test("dead signals whose key a live one has do not keep the others from being redriven", async () => {
  const queue = await givenQueue(db);
  const die = async (members: Readonly<Record<string, unknown>>): Promise<string> => {
    const id = await givenSignal(db, queue, { ...members, max_executions: 1 });
    const [claimed] = await claimSignals(db, queue);
    if (claimed === undefined) throw new Error("nothing was claimed");
    expect(await reportSignal(db, queue, claimed, "fail")).toBe("done");
    return id;
  };
  const held = await die({ dedupe_key: "k" });
  const free = await die({});
  await givenSignal(db, queue, { dedupe_key: "k" });
  const rows = await db`
    select signal_id, outcome from redrive_signals(${queue.orgId}, ${queue.queueId}, null, 1) where signal_id is not null`;
  expect(rows).toEqual([{ signal_id: free, outcome: "redriven" }]);
  expect(await signalStatus(db, held)).toBe("dead");
});

test("signals with one dedupe key count once for the depth, also in one statement", async () => {
  const queue = await givenQueue(db, { maxDepth: 1 });
  const same = [1, 2, 3].map((request) => aSignal(queue, { request, dedupe_key: "k" }));
  const outcomes = (await fileSignals(db, same)).map(({ outcome }) => outcome).sort();
  expect(outcomes).toEqual(["enqueued", "kept", "kept"]);
});

test("an org whose signals fall due in thousands keeps no other's lease from running out", async () => {
  const [crowd, queue] = [await givenQueue(db, { maxDepth: 10_000 }), await givenQueue(db)];
  const expiring = { expires_in: 1_000_000_000 };
  const many = Array.from({ length: 2_000 }, (_, at) =>
    aSignal(crowd, { request: at + 1, ...expiring }),
  );
  await fileSignals(db, many);
  const id = await givenSignal(db, queue);
  await claimSignals(db, queue);
  await advanceClock(db, "31 seconds");
  const sweep = async (most: number) =>
    (await db<{ due: number }[]>`select * from sweep_signals(${most})`)[0]?.due ?? 0;
  expect(await sweep(100)).toBe(100);
  expect(await signalStatus(db, id)).toBe("queued");
  let swept = 100;
  for (let due = 500; due === 500; swept += due) due = await sweep(500);
  expect(swept).toBe(2_001);
});

test("a line that begins with more expired signals than a start of turns passes goes on when they were swept", async () => {
  const queue = await givenQueue(db, { maxDepth: 10_000 });
  const own = { runs: "task", task: "run-signal" };
  const pause = (event: string) =>
    db`select set_queue_pause(${queue.orgId}, ${queue.queueId}, ${event}, '', null, 'acc_1')`;
  await pause("pause");
  const many = Array.from({ length: 2_500 }, (_, at) =>
    aSignal(queue, { request: at + 1, expires_in: 1_000_000_000, ...own }),
  );
  await fileSignals(db, many);
  const id = await givenSignal(db, queue, own);
  await advanceClock(db, "2 seconds");
  await pause("resume");
  expect(await signalStatus(db, id)).toBe("queued");
  await sweepSignals(db);
  expect(await signalStatus(db, id)).toBe("queued"); // some are left
  await sweepSignals(db);
  expect(await signalStatus(db, id)).toBe("in-flight");
});

test("a line that begins with more expired signals than a claim passes goes on when they were swept", async () => {
  const queue = await givenQueue(db, { maxDepth: 10_000 });
  const expiring = { expires_in: 1_000_000_000 };
  const many = Array.from({ length: 1_200 }, (_, at) =>
    aSignal(queue, { request: at + 1, ...expiring }),
  );
  await fileSignals(db, many);
  const id = await givenSignal(db, queue);
  await advanceClock(db, "2 seconds");
  expect(await claimSignals(db, queue)).toEqual([]);
  await sweepSignals(db);
  expect(await claimSignals(db, queue)).toMatchObject([{ id }]);
});

test("a turn that is put off twice, as its caller heard no answer, is begun once", async () => {
  const queue = await givenQueue(db);
  const id = await givenSignal(db, queue, { type: "noop", runs: "task", task: "run-signal" });
  const [live] = await db<{ lease: string }[]>`
    select lease_id as lease from queue_signal_live where id = ${id}`;
  const lease = live?.lease ?? "";
  for (let at = 0; at < 2; at++) await db`select put_off_turns(${[id]}, ${[lease]})`;
  const take = () => db`select * from take_backlog(${queue.orgId}, 'noop', 1)`;
  expect([...(await take()), ...(await take())].length).toBeGreaterThan(0);
  const begin = (own: string) =>
    db`select type from begin_turn(${queue.orgId}, ${id}, ${lease}, ${own}, 'broker 1')`;
  expect(await begin("a")).toHaveLength(1);
  expect(await begin("a")).toHaveLength(1); // its beginner heard no answer
  expect(await begin("b")).toEqual([]);
});
