import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { decodeChunk } from "../../../broker/logs/store/decode-chunk.ts";
import type { LogEntry } from "../../../broker/logs/store/log-record.ts";
import { startBroker } from "../../support/broker/broker.ts";
import { testDatabase } from "../../support/database/database.ts";
import { type GivenLog, givenLog } from "../../support/logs/given-logs.ts";
import { storedBodies } from "../../support/logs/otlp-logs.ts";
import { givenActor } from "../../support/tokens/given-actor.ts";
const database = await testDatabase();
const env = { SVC_RATE_TOKEN_PER_S: "0", SVC_RATE_ORG_PER_S: "0" };
const broker = await startBroker({ url: database.url, env });
const setup = async () => {
  const log = await givenLog(database, broker);
  const send = async (record: object) =>
    await broker.call(`POST ${log.path}/logs`, {
      token: log.token,
      body: { resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] },
    });
  const bodies = async () => await storedBodies(database.db, log.orgId, log.streamId);
  return { ...log, send, bodies };
};
const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
const record = (body: string, ...attributes: object[]) => ({
  body: { stringValue: body },
  attributes,
});
const seqOne = { key: "svc.seq", value: { intValue: "1" } };

describe("an execution's id that is none", () => {
  test.each(["constructor", "__proto__", "toString", "exe_", "exe_'; drop", ""])(
    "%s: the record is kept with it as an attribute, and nobody else's request suffers",
    async (id) => {
      const { send, read } = await setup();
      const others = await Promise.all(Array.from({ length: 10 }, setup));
      const answers = await Promise.all([
        ...others.slice(0, 5).map(async (other) => await other.send(record("fine"))),
        send(record("odd", seqOne, text("runner_job_execution.id", id))),
        ...others.slice(5).map(async (other) => await other.send(record("fine"))),
      ]);
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
      const { items } = (await read()).body;
      expect(items).toMatchObject([{ body: "odd", attributes: { "runner_job_execution.id": id } }]);
    },
  );
});

describe("a number that is none", () => {
  test.each(["abc", "1.5", "0", "-1", "9007199254740993", "NaN"])(
    "%s is refused with its record, with an execution or without; the stream stays readable",
    async (seq) => {
      const { send, read, bodies, executionId } = await setup();
      for (const more of [[], [text("runner_job_execution.id", executionId)]]) {
        const { status, body } = await send(record("odd", text("svc.seq", seq), ...more));
        expect(status).toBe(201);
        expect(body).toMatchObject({ partialSuccess: { rejectedLogRecords: "1" } });
      }
      await send(record("later"));
      expect(await bodies()).toEqual(["later"]);
      expect((await read()).body.items).toMatchObject([{ body: "later" }]);
    },
  );
});

test.each(["253402300799999970000", "253402300799999000000", "99999999999999999999"])(
  "a time that nobody logs at, %s, is that of the record's arrival",
  async (timeUnixNano) => {
    const { send, read } = await setup();
    const other = await setup();
    const answers = await Promise.all([
      send({ ...record("odd"), timeUnixNano }),
      send({ ...record("odd, as a number"), timeUnixNano: Number(timeUnixNano) }),
      other.send(record("fine")),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    const times = (await read()).body.items.map(({ at }) => Date.parse(at));
    for (const at of times) expect(Math.abs(at - Date.now())).toBeLessThan(60_000);
  },
);

test("a step whose cut parts a character is kept", async () => {
  const { send, read } = await setup();
  const step = `${"s".repeat(255)}🙂`;
  const answer = await send(record("odd", text("runner_job_execution_step.name", step)));
  expect(answer.status).toBe(201);
  expect((await read()).body.items).toMatchObject([{ step: `${"s".repeat(255)}\uFFFD` }]);
});

test("what the database refuses fails its own request alone, and is not sent twice", async () => {
  const logs = await Promise.all(Array.from({ length: 6 }, setup));
  const [first, odd] = logs;
  if (first === undefined || odd === undefined) throw new Error("six were made");
  const line = (body: string, step?: string): LogEntry => {
    const said = { atUs: Date.now() * 1000, severity: 9, body, step };
    return { ...said, resource: {}, attributes: {} };
  };
  const take = async ({ orgId, runnerId, streamId }: GivenLog, entry: LogEntry) => {
    const actor = givenActor(orgId, { kind: "rt", runnerId, permissions: new Set() });
    const refused = { count: 0, reason: "" };
    await broker.broker.logs.take(actor, streamId, { entries: [entry], refused, bytes: 1 });
  };
  const taken = await Promise.allSettled([
    ...logs.map(async (log) => await take(log, line("fine"))),
    take(odd, line("no text at all", "\ud800")), // no reader lets it in
    take(odd, line("after it")),
  ]);
  const failed = taken.flatMap(({ status }, at) => (status === "rejected" ? [at] : []));
  expect(failed).toEqual([logs.length]);
  for (const log of logs) {
    expect(await log.bodies()).toEqual(log === odd ? ["fine", "after it"] : ["fine"]);
  }
});

test("a line that was damaged is told of, and hides no other", async () => {
  const { write, read, streamId } = await setup();
  await write(["one", "two", "three"]);
  const [chunk] = await database.db<{ body: Buffer }[]>`
    select body from log_chunks where stream_id = ${streamId}`;
  const opened = zstdDecompressSync(chunk?.body ?? Buffer.alloc(0)).toString();
  const body = zstdCompressSync(Buffer.from(opened.replace('"two"', "NaN,NaN")));
  await database.db`update log_chunks set body = ${body} where stream_id = ${streamId}`;
  expect(
    (await decodeChunk({ position: 1, body, bytes: opened.length })).map(({ notice }) => notice),
  ).toEqual([undefined, "damaged", undefined]);
  const { items } = (await read()).body;
  expect(items.map(({ notice, cursor }) => [notice, cursor])).toEqual([
    [undefined, "1"],
    ["damaged", "2"],
    [undefined, "3"],
  ]);
});
