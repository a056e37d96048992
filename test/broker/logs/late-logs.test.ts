import { describe, expect, test } from "vitest";
import type { LogRecord } from "../../../shared/api/log-streams.ts";
import { startBroker } from "../../support/broker/broker.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenRunningLog } from "../../support/logs/given-running-log.ts";
import { postLogs, protobufLogs } from "../../support/logs/otlp-logs.ts";
import { report } from "../../support/rows/given.ts";

const database = await testDatabase();
const { db } = database;
const env = { SVC_RATE_TOKEN_PER_S: "0", SVC_RATE_ORG_PER_S: "0" };
const broker = await startBroker({ url: database.url, env });
const { url, call } = broker;

async function setup() {
  const given = await givenRunningLog(database, broker);
  const { orgId, jobId, executionId, streamId, admin, token } = given;
  await report(db, given, { executionId, status: "in-progress" });
  /** The broker ends it, and nobody waits any more for what it does over there. */
  const cut = async (): Promise<void> => {
    await db`select * from end_jobs(${orgId}, ${[jobId]}, 'cancel', 'enough')`;
    await db`select confirm_stopped(${[executionId]}, svc_now())`;
    await advanceClock(db, "70 s");
  };
  const records = async () => {
    const path = `GET /v1/log-streams/${streamId}/logs?cursor=`;
    const { body } = await call<{ items: LogRecord[] }>(path, { token: admin });
    return body.items.map(({ body: text, late }) => [text, late]);
  };
  const tellEnd = async (lastRecord: number): Promise<string> =>
    await report(db, given, { executionId, status: "cancelled", lastRecord });
  const post = async (seq: number, of: string | undefined = executionId) => {
    const body = protobufLogs([{ body: `line ${seq}`, seq, executionId: of }]);
    return await postLogs({ url, streamId, token, body });
  };
  return { ...given, cut, records, tellEnd, post };
}

describe("what an execution prints that the broker had ended while it ran", () => {
  test("is kept when it comes after the stream has closed, marked as late", async () => {
    const { send, cut, stream, records } = await setup();
    await send(1);
    await cut();
    expect((await stream()).open).toBe(false);
    expect(await send(2, 3)).toBe(201);
    expect(await send(3, 4)).toBe(201);
    expect(await records()).toEqual([
      ["line 1", undefined],
      ["line 2", true],
      ["line 3", true],
      ["line 4", true],
    ]);
    expect((await stream()).open).toBe(false);
  });

  test("is marked as late also when its agent tells the end before the log", async () => {
    const { send, cut, records, tellEnd } = await setup();
    await cut();
    await tellEnd(2);
    expect(await send(1, 2)).toBe(201);
    expect(await records()).toEqual([
      ["line 1", true],
      ["line 2", true],
    ]);
  });

  test("is answered with the word that the execution is over", async () => {
    const { cut, post, streamId, token, executionId } = await setup();
    await cut();
    expect((await post(1)).text).toContain("has ended");
    const attributes = [
      { key: "runner_job_execution.id", value: { stringValue: executionId } },
      { key: "svc.seq", value: { intValue: "2" } },
    ];
    const record = { body: { stringValue: "line 2" }, attributes };
    const { status, body } = await call(`POST /v1/log-streams/${streamId}/logs`, {
      token,
      body: { resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] },
    });
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { partialSuccess: { rejectedLogRecords: "0" } },
    });
  });

  test("makes its log complete when its agent has told the last number and all of it is here", async () => {
    const { send, cut, job, tellEnd } = await setup();
    await send(1);
    await cut();
    await advanceClock(db, "2 h");
    expect(await job()).toMatchObject({ status: "cancelled", logs_complete: false });
    expect(await send(2)).toBe(201);
    expect((await job()).logs_complete).toBe(false);
    await tellEnd(3);
    expect((await job()).logs_complete).toBe(false);
    expect(await send(3)).toBe(201);
    expect((await job()).logs_complete).toBe(true);
  });

  test("is taken for a day, and then its log is as complete as it will be", async () => {
    const { cut, send, job } = await setup();
    await cut();
    await advanceClock(db, "23 h");
    expect(await send(1)).toBe(201);
    expect((await job()).logs_complete).toBe(false);
    await advanceClock(db, "1 h");
    expect(await send(2)).toBe(409);
    expect((await job()).logs_complete).toBe(true);
  });

  test("is no door for other records: of nobody, of another job, or of an end that was reported", async () => {
    const [one, other] = [await setup(), await setup()];
    await one.cut();
    expect((await one.post(1, "")).status).toBe(409);
    expect((await one.post(1, other.executionId)).status).toBe(409);
    await other.finish(1);
    await advanceClock(db, "11 min");
    expect((await other.post(2)).status).toBe(409);
  });

  test("comes once, from whichever broker, and together with others", async () => {
    const { cut, send, records, executionId, streamId, token } = await setup();
    const second = await startBroker({ url: database.url, env });
    await cut();
    const toSecond = async (seq: number): Promise<number> => {
      const body = protobufLogs([{ body: `line ${seq}`, seq, executionId }]);
      return (await postLogs({ url: second.url, streamId, token, body })).status;
    };
    const seqs = Array.from({ length: 8 }, (_, at) => at + 1);
    const answers = await Promise.all(seqs.flatMap((seq) => [send(seq), toSecond(seq)]));
    expect(new Set(answers)).toEqual(new Set([201]));
    const kept = await records();
    expect(kept).toHaveLength(seqs.length);
    expect(kept).toEqual(expect.arrayContaining(seqs.map((seq) => [`line ${seq}`, true])));
  });
});

test("the log of a job that was cancelled before it began is complete after a minute", async () => {
  const { orgId, jobId, job, send } = await givenRunningLog(database, broker);
  await db`select * from end_jobs(${orgId}, ${[jobId]}, 'cancel', 'enough')`;
  await advanceClock(db, "61 s");
  expect((await job()).logs_complete).toBe(true);
  expect(await send(1)).toBe(409);
});
