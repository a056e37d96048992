import { expect, test } from "vitest";
import { deleteDeletedQueues } from "../../../broker/retention/delete-deleted-queues.ts";
import { deleteOldRows } from "../../../broker/retention/delete-old-rows.ts";
import { deleteOldSignals } from "../../../broker/retention/delete-old-signals.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";
import { expectSoundSignals } from "../../support/queues/expect-sound-signals.ts";
import {
  claimSignals,
  givenQueue,
  givenSignal,
  reportSignal,
  signalStatus,
} from "../../support/queues/given-signals.ts";

const { db } = await testDatabase();
const batches = { signal: new AbortController().signal, batch: 2 };

test("signals are deleted so many days after their end, dead ones too; live ones stay", async () => {
  const queue = await givenQueue(db, { maxInFlight: 10 });
  const callback = {
    n: 1,
    kind: "http-call",
    statuses: ["expired"],
    next_id: "sig_1",
    contents: "e30=",
  };
  const live = await givenSignal(db, queue);
  await claimSignals(db, queue);
  for (const end of ["finish", "give-up", "finish", "give-up", "finish"]) {
    await givenSignal(db, queue, {
      callbacks: [callback],
      idempotency_key: newKey(),
      fingerprint: "00",
    });
    const [claimed] = await claimSignals(db, queue);
    if (claimed !== undefined) await reportSignal(db, queue, claimed, end);
  }
  expect(await deleteOldSignals(db, 30, batches)).toBe(0);
  await advanceClock(db, "29 days");
  const late = await givenSignal(db, queue);
  const [claimed] = await claimSignals(db, queue);
  if (claimed !== undefined) await reportSignal(db, queue, claimed, "finish");
  expect(await deleteOldSignals(db, 30, batches)).toBe(0);
  await advanceClock(db, "2 days");
  expect(await deleteOldSignals(db, 30, batches)).toBe(5);
  expect(await signalStatus(db, live)).toBe("in-flight");
  expect(await signalStatus(db, late)).toBe("finished");
  expect(await db`select from queue_signal_callbacks`).toHaveLength(0);
  expect(await deleteOldRows(db, "queue_signal_keys", 1, batches)).toBe(5);
  await expectSoundSignals(db);
});

test("queues that were deleted go when none of their signals is left; others stay", async () => {
  const [used, unused, mine] = [await givenQueue(db), await givenQueue(db), await givenQueue(db)];
  await givenSignal(db, used);
  const [claimed] = await claimSignals(db, used);
  if (claimed !== undefined) await reportSignal(db, used, claimed, "give-up");
  for (const { orgId, queueId } of [used, unused])
    await db`select delete_queue(${orgId}, ${queueId})`;
  const left = async () => {
    const rows = await db<{ id: string }[]>`
      select id from queues where id = any(${[used, unused, mine].map(({ queueId }) => queueId)}) order by id`;
    return rows.map(({ id }) => id);
  };
  expect(await deleteDeletedQueues(db, 30, batches)).toBe(0);
  await advanceClock(db, "31 days");
  expect(await deleteDeletedQueues(db, 30, batches)).toBe(1);
  expect(await left()).toEqual([used.queueId, mine.queueId].toSorted());
  await deleteOldSignals(db, 30, batches);
  expect(await deleteDeletedQueues(db, 30, batches)).toBe(1);
  expect(await left()).toEqual([mine.queueId]);
});

let keys = 0;
const newKey = (): string => `key ${++keys}`;
