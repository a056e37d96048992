import { beforeAll, describe, expect, test } from "vitest";
import { mergeChunks } from "../../../broker/logs/store/merge-chunks.ts";
import { deleteOldStreams, dropOldLogs } from "../../../broker/retention/drop-old-logs.ts";
import { startBroker } from "../../support/broker/broker.ts";
import { advanceClock, stopClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";
import type { LogPage } from "../../support/logs/given-logs.ts";
import { givenRunningLog } from "../../support/logs/given-running-log.ts";
import { storedBodies } from "../../support/logs/otlp-logs.ts";

const database = await testDatabase();
const { db } = database;
const broker = await startBroker({ url: database.url });
const setup = async () => await givenRunningLog(database, broker);
const { signal } = new AbortController();
const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}`);
const chunksOf = async (streamId: string) =>
  await db`select position, records from log_chunks where stream_id = ${streamId} order by position`;

describe("small chunks", () => {
  test("do not stay: a stream of single lines rests in few", async () => {
    const { send, orgId, streamId } = await setup();
    for (let seq = 1; seq <= 100; seq += 1) expect(await send(seq)).toBe(201);
    await expect.poll(async () => (await chunksOf(streamId)).length).toBeLessThanOrEqual(36);
    // The broker may be merging just now: then there is nothing to merge for anybody else.
    const merged = async () => {
      await mergeChunks(db, orgId, streamId);
      return await chunksOf(streamId);
    };
    await expect.poll(merged).toEqual([{ position: 1, records: 100 }]);
    expect(await storedBodies(db, orgId, streamId)).toEqual(lines(1, 100));
  });

  test("are not merged over what is missing between them", async () => {
    const { send, orgId, streamId } = await setup();
    for (const seq of [1, 2, 4, 5]) await send(seq);
    await mergeChunks(db, orgId, streamId);
    expect(await chunksOf(streamId)).toEqual([
      { position: 1, records: 2 },
      { position: 4, records: 2 },
    ]);
    await send(3);
    expect(await storedBodies(db, orgId, streamId)).toEqual(lines(1, 5));
  });

  test("are merged while others are written", async () => {
    const { send, orgId, streamId } = await setup();
    const writing = (async () => {
      for (let seq = 1; seq <= 60; seq += 1) await send(seq);
    })();
    for (let times = 0; times < 10; times += 1) await mergeChunks(db, orgId, streamId);
    await writing;
    expect(await storedBodies(db, orgId, streamId)).toEqual(lines(1, 60));
  });
});

describe("old logs", () => {
  beforeAll(async () => await stopClock(db)); // eight days end the jobs, and no minute later their streams

  const partitions = async () =>
    (
      await db<{ name: string }[]>`
        select inhrelid::regclass::text as name from pg_inherits
         where inhparent = 'log_chunks'::regclass order by 1`
    ).map(({ name }) => name);

  test("go by whole days, with the streams of which nothing is left", async () => {
    const [old, long, running] = [await setup(), await setup(), await setup()];
    for (const log of [old, long, running]) await log.send(1);
    await old.finish();
    const [first] = await partitions();
    await advanceClock(db, "8 days");
    await long.send(2); // on a day that nobody prepared
    await dropOldLogs(db, 30);
    expect(await partitions()).toContain(first);
    await dropOldLogs(db, 7);
    await deleteOldStreams(db, 7, { signal, batch: 2 });
    expect(await partitions()).not.toContain(first);
    expect((await partitions()).length).toBeGreaterThanOrEqual(3);
    const left = await db<{ id: string }[]>`select id from log_streams`;
    expect(left.map(({ id }) => id)).not.toContain(old.streamId);
    expect(left.map(({ id }) => id)).toContain(running.streamId);
    expect(await storedBodies(db, long.orgId, long.streamId)).toEqual(["line 2"]);
    expect(await long.stream()).toMatchObject({ open: true, records: 1 });
    expect(await long.send(1, 2)).toBe(201);
    expect(await storedBodies(db, long.orgId, long.streamId)).toEqual(["line 2"]);
    expect(await dropOldLogs(db, 7)).toBe(0);
  });

  test("are told as deleted where they stood", async () => {
    const [log, quiet] = [await setup(), await setup()];
    for (const { send } of [log, quiet]) await send(1, 2, 3);
    await advanceClock(db, "8 days");
    await log.send(4, 6);
    await dropOldLogs(db, 7);
    await deleteOldStreams(db, 7, { signal, batch: 2 });
    await quiet.send(4);
    const notices = async ({ streamId, admin }: typeof log) => {
      const { body } = await broker.call<LogPage>(`GET /v1/log-streams/${streamId}/logs?cursor=`, {
        token: admin,
      });
      return body.items.map(({ notice, body: words }) => [notice, words]);
    };
    const deleted = ["deleted", expect.stringContaining("3 records were deleted here")];
    expect(await notices(log)).toEqual([
      deleted,
      [undefined, "line 4"],
      ["missing", expect.any(String)],
      [undefined, "line 6"],
    ]);
    expect(await notices(quiet)).toEqual([deleted, [undefined, "line 4"]]);
  });

  test("of a day that was half dropped go the next time", async () => {
    await advanceClock(db, "20 days");
    const [first = ""] = await partitions();
    await db`alter table log_chunks detach partition ${db(first)}`;
    expect(await dropOldLogs(db, 7)).toBeGreaterThan(0);
    const [row] = await db`select to_regclass(${first}) as there`;
    expect(row?.["there"]).toBeNull();
  });
});
