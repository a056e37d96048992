import { describe, expect, test } from "vitest";
import { startBroker } from "../../support/broker/broker.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenRunningLog } from "../../support/logs/given-running-log.ts";
import { postLogs, protobufLogs, storedRecords } from "../../support/logs/otlp-logs.ts";
import { report } from "../../support/rows/given.ts";

const database = await testDatabase();
const { db } = database;
const env = {
  SVC_RATE_TOKEN_PER_S: "0",
  SVC_RATE_ORG_PER_S: "0",
  SVC_LOG_STREAM_KIB_PER_S: "0",
};
const broker = await startBroker({ url: database.url, env });
const other = await startBroker({ url: database.url, env }); // which remembers nothing of the stream
const setup = async () => {
  const log = await givenRunningLog(database, broker);
  const { orgId, streamId, token, executionId: own } = log;
  const sendTo = async (at: typeof broker, seqs: readonly number[], executionId = own) => {
    const body = protobufLogs(seqs.map((seq) => ({ body: `line ${seq}`, seq, executionId })));
    return (await postLogs({ url: at.url, streamId, token, body })).status;
  };
  const seqs = async () => (await storedRecords(db, orgId, streamId)).map(({ seq }) => seq);
  const parts = async () => {
    const [row] = await db<{ count: number }[]>`
      select count(*)::int from log_sequences where stream_id = ${streamId}`;
    return row?.count;
  };
  return { ...log, sendTo, seqs, parts };
};
const everyOther = (from: number, upto: number) =>
  Array.from({ length: Math.floor((upto - from) / 2) + 1 }, (_, at) => from + at * 2);
const executionName = (n: number) => `exe_${String(n).padStart(26, "0")}`;

describe("a log in which very much is missing", () => {
  test("says how much, and takes what comes late once and where it belongs", async () => {
    const { sendTo, stream, finish, job, seqs, parts } = await setup();
    expect(await sendTo(broker, everyOther(1, 2999))).toBe(201);
    await finish(2999);
    expect(await stream()).toMatchObject({ open: true, missing_records: 1499 });
    expect((await job()).logs_complete).toBe(true);
    for (const [nth, from] of [2000, 2, 1000, 400].entries()) {
      const late = everyOther(from, from + 998).filter((seq) => seq < 2999);
      expect(await sendTo(nth % 2 === 0 ? other : broker, late)).toBe(201);
      expect(await sendTo(other, late)).toBe(201);
    }
    expect(await seqs()).toEqual(Array.from({ length: 2999 }, (_, at) => at + 1));
    expect(await stream()).toMatchObject({ open: false, missing_records: 0 });
    expect(await parts()).toBe(0);
  });

  test.each([
    ["lately", 2000],
    ["long ago", 20],
  ])("is not complete while the announced record is what went missing %s", async (_, last) => {
    const { sendTo, finish, job } = await setup();
    await sendTo(broker, everyOther(1, 2001));
    await finish(last);
    expect((await job()).logs_complete).toBe(false);
    expect(await sendTo(other, [last])).toBe(201);
    expect((await job()).logs_complete).toBe(true);
  });

  test("forgets what is missing where its middle was dropped", async () => {
    const { sendTo, parts, orgId, streamId } = await setup();
    for (let from = 1; from < 8000; from += 1000) {
      await sendTo(broker, everyOther(from, from + 998));
    }
    const before = await parts();
    await db`select trim_log_stream(${orgId}, ${streamId}, 100000)`;
    expect(await parts()).toBeLessThan(before ?? 0);
    expect(await parts()).toBeGreaterThan(0);
  });
});

describe("a log of very many executions", () => {
  test("holds each record once, whoever sends again", async () => {
    const { sendTo, stream, parts, seqs } = await setup();
    const ids = Array.from({ length: 110 }, (_, n) => executionName(n));
    for (const id of ids) expect(await sendTo(broker, [1, 3], id)).toBe(201);
    expect(await stream()).toMatchObject({ records: 220, missing_records: 110 });
    expect(await parts()).toBeGreaterThan(0);
    for (const id of ids) {
      expect(await sendTo(broker, [1, 3], id)).toBe(201);
      expect(await sendTo(other, [1, 2, 3], id)).toBe(201);
    }
    expect(await stream()).toMatchObject({ records: 330, missing_records: 0 });
    expect(await seqs()).toEqual(ids.flatMap(() => [1, 2, 3]));
  });

  test("forgets the first of them that have ended, none that runs or writes", async () => {
    const log = await setup();
    const { sendTo, executionId, orgId, streamId } = log;
    // Nobody takes it back for want of a word while the others write.
    await report(db, log, { executionId, status: "in-progress" });
    await sendTo(broker, [1]);
    for (let n = 0; n < 120; n += 1) await sendTo(broker, [1], executionName(n));
    const away = async () =>
      (
        await db<{ execution_id: string }[]>`
          select execution_id from log_sequences where stream_id = ${streamId} order by kept_at, execution_id`
      ).map((row) => row.execution_id);
    const before = await away();
    expect(before).toContain(executionId);
    await db`select forget_executions(${orgId}, ${streamId}, 5)`;
    const ended = before.filter((id) => id !== executionId);
    expect((await away()).toSorted()).toEqual([...ended.slice(-5), executionId].toSorted());
  });
});
