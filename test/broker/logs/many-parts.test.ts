import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { startBroker } from "../../support/broker/broker.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenLog } from "../../support/logs/given-logs.ts";
import { postLogs, protobufLogs, storedRecords } from "../../support/logs/otlp-logs.ts";
import { bytesField } from "../../support/logs/protobuf-writer.ts";

const database = await testDatabase();
const env = {
  SVC_RATE_TOKEN_PER_S: "0",
  SVC_LOG_STREAM_KIB_PER_S: "0",
  SVC_LOG_ORG_KIB_PER_S: "0",
};
const broker = await startBroker({ url: database.url, env });
const mebibyte = 1024 * 1024;
const json = "application/json";

async function setup(at = broker) {
  const log = await givenLog(database, broker);
  const { streamId, token } = log;
  const post = async (sent: { body: Buffer | string; type?: string; isGzip?: boolean }) =>
    await postLogs({ url: at.url, streamId, token, isGzip: true, ...sent });
  const stored = async () => await storedRecords(database.db, log.orgId, streamId);
  return { ...log, post, stored };
}

/** Messages of two bytes each. */
const empties = (tag: number, bytes: number) => Buffer.alloc(bytes).fill(Buffer.from([tag, 0]));
const ofScope = (...fields: Buffer[]) => bytesField(1, bytesField(2, ...fields));
const ofRecord = (...fields: Buffer[]) => ofScope(bytesField(2, ...fields));
const many = (text: string, count: number) => `[${`${text},`.repeat(count - 1)}${text}]`;
const jsonOf = (records: string) => `{"resourceLogs":[{"scopeLogs":[{"logRecords":${records}}]}]}`;

describe("a small request that unpacks to more than anybody means to send", () => {
  test.each<[string, () => { body: Buffer | string; type?: string }]>([
    ["empty records", () => ({ body: ofScope(empties(0x12, 4 * mebibyte)) })],
    ["empty scopes", () => ({ body: bytesField(1, empties(0x12, 4 * mebibyte)) })],
    ["empty attributes of a record", () => ({ body: ofRecord(empties(0x32, 4 * mebibyte)) })],
    ["empty texts of a record", () => ({ body: ofRecord(empties(0x1a, 4 * mebibyte)) })],
    ["empty records in JSON", () => ({ body: jsonOf(many("{}", 2_600_000)), type: json })],
    ["a few nulls for records in JSON", () => ({ body: jsonOf(many("null", 20_001)), type: json })],
    ["members in JSON", () => ({ body: `{"a":${many("0", 2_000_000)}}`, type: json })],
  ])("is 413: %s", async (_, make) => {
    const { post, stored } = await setup();
    const refused = await post(make());
    expect(refused.status).toBe(413);
    expect(JSON.parse(refused.text)).toMatchObject({ code: "too_many_parts" });
    expect(await stored()).toEqual([]);
  });

  test("is 413 where many scopes repeat a long resource", async () => {
    const { post } = await setup();
    const attribute = bytesField(
      1,
      bytesField(1, "k"),
      bytesField(2, bytesField(1, "v".repeat(30_000))),
    );
    const scope = bytesField(2, bytesField(1, bytesField(1, "s")), bytesField(2));
    const scopes = Array.from({ length: 10_000 }, () => scope);
    expect((await post({ body: bytesField(1, bytesField(1, attribute), ...scopes) })).status).toBe(
      413,
    );
  });
});

describe("a request at the limit", () => {
  test("is taken whole, and read again", async () => {
    const { post, stored } = await setup();
    expect((await post({ body: ofScope(empties(0x12, 40_000)) })).status).toBe(201);
    expect(await stored()).toHaveLength(20_000);
    expect((await post({ body: ofScope(empties(0x12, 40_002)) })).status).toBe(413);
  });

  test("in JSON, too", async () => {
    const { post, stored } = await setup();
    expect((await post({ body: jsonOf(many("{}", 20_000)), type: json })).status).toBe(201);
    expect(await stored()).toHaveLength(20_000);
  });

  test("with text that looks like JSON counts as text", async () => {
    const { post, stored } = await setup();
    const body = JSON.stringify('\\"[{,'.repeat(10_000)).slice(1, -1);
    const record = `{"body":{"stringValue":"${body}"}}`;
    expect((await post({ body: jsonOf(many(record, 200)), type: json })).status).toBe(201);
    expect(await stored()).toHaveLength(200);
  });
});

test("the name of a scope is cut, and long attributes make a chunk as full as long texts", async () => {
  const { post, stored, read, streamId } = await setup();
  const name = bytesField(1, bytesField(1, "s".repeat(2 * mebibyte)));
  expect((await post({ body: ofScope(name, bytesField(2), bytesField(2)) })).status).toBe(201);
  const scope = JSON.stringify({ name: "s".repeat(2 * mebibyte) });
  const body = `{"resourceLogs":[{"scopeLogs":[{"scope":${scope},"logRecords":[{}]}]}]}`;
  expect((await post({ body, type: json })).status).toBe(201);
  const resource = { "otel.scope.name": "s".repeat(256) };
  expect(await stored()).toMatchObject([{ resource }, { resource }, { resource }]);
  expect((await read()).body.items).toHaveLength(3);

  const attribute = (n: number) => ({ key: "k", value: { stringValue: `${n}`.repeat(10_000) } });
  const records = Array.from({ length: 100 }, (_, n) => ({ attributes: [attribute(n)] }));
  expect((await post({ body: jsonOf(JSON.stringify(records)), type: json })).status).toBe(201);
  const [largest] = await database.db`
    select max(bytes)::int as bytes from log_chunks where stream_id = ${streamId}`;
  expect(largest?.["bytes"]).toBeLessThan(256 * 1024);
});

test("bombs are paid for: after one, its stream is told to wait", async () => {
  const limited = await startBroker({
    url: database.url,
    env: { ...env, SVC_LOG_STREAM_KIB_PER_S: "1024" },
  });
  const { post } = await setup(limited);
  expect((await post({ body: gzipSync("x").subarray(0, 4), isGzip: false })).status).toBe(400);
  expect((await post({ body: protobufLogs([{ body: "fine" }]) })).status).toBe(201);
  expect((await post({ body: ofScope(empties(0x12, 4 * mebibyte)) })).status).toBe(413);
  expect((await post({ body: protobufLogs([{ body: "late" }]) })).status).toBe(429);
});

test("records cost their stream something even when they are empty", async () => {
  const limited = await startBroker({
    url: database.url,
    env: { ...env, SVC_LOG_STREAM_KIB_PER_S: "64" },
  });
  const { post } = await setup(limited);
  expect((await post({ body: ofScope(empties(0x12, 40_000)) })).status).toBe(201);
  expect((await post({ body: protobufLogs([{ body: "late" }]) })).status).toBe(429);
});
