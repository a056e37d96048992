import { describe, expect, test } from "vitest";
import { startBroker } from "../../support/broker/broker.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenLog, logRequestOf } from "../../support/logs/given-logs.ts";
import {
  postLogs,
  protobufLogs,
  storedBodies,
  storedRecords,
} from "../../support/logs/otlp-logs.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenJob, givenProcess, givenRunner } from "../../support/rows/given.ts";

const database = await testDatabase();
const { db } = database;
const env = { SVC_RATE_TOKEN_PER_S: "0", SVC_RATE_ORG_PER_S: "0" };
const broker = await startBroker({ url: database.url, env });
const { url, call } = broker;
const setup = async () => {
  const log = await givenLog(database, broker);
  const post = async (sent: { body: Buffer | string; type?: string; isGzip?: boolean }) =>
    await postLogs({ url, streamId: log.streamId, token: log.token, ...sent });
  const bodies = async () => await storedBodies(db, log.orgId, log.streamId);
  return { ...log, post, bodies };
};
const json = "application/json";

describe("records", () => {
  test("come as protobuf, with all that they say", async () => {
    const { post, orgId, streamId, executionId } = await setup();
    const line = {
      body: "ünïcode\n\u001b[31mred",
      seq: 1,
      executionId,
      step: "apply",
      severity: 17,
    };
    const answer = await post({ body: protobufLogs([line]) });
    expect(answer.status).toBe(201);
    expect(answer.headers.get("content-type")).toBe("application/x-protobuf");
    expect(answer.body).toHaveLength(0);
    expect(await storedRecords(db, orgId, streamId)).toEqual([
      {
        position: 1,
        atUs: 1_790_000_000_123_456,
        severity: 17,
        body: line.body,
        seq: 1,
        executionId,
        step: "apply",
        resource: { "service.name": "probe", "otel.scope.name": "a-scope" },
        attributes: {},
      },
    ]);
  });

  test("come as JSON, gzipped or not, and are answered {}", async () => {
    const { post, bodies, executionId } = await setup();
    const body = (text: string) => JSON.stringify(logRequestOf([text], executionId));
    const plain = await post({ body: body("plain"), type: json });
    const gzipped = await post({ body: body("gzipped"), type: json, isGzip: true });
    expect([plain.status, gzipped.status]).toEqual([201, 201]);
    expect(plain.text).toBe("{}");
    await post({ body: protobufLogs([{ body: "protobuf" }]), isGzip: true });
    expect(await bodies()).toEqual(["plain", "gzipped", "protobuf"]);
  });

  test("keep values of every kind, and bodies that are no text as JSON", async () => {
    const { post, orgId, streamId } = await setup();
    const values = [
      { key: "text", value: { stringValue: "a" } },
      { key: "yes", value: { boolValue: true } },
      { key: "whole", value: { intValue: "-7" } },
      { key: "huge", value: { intValue: "9223372036854775807" } },
      { key: "part", value: { doubleValue: 0.5 } },
      { key: "none", value: { doubleValue: "NaN" } },
      { key: "list", value: { arrayValue: { values: [{ intValue: 1 }, {}] } } },
      {
        key: "map",
        value: { kvlistValue: { values: [{ key: "k", value: { boolValue: false } }] } },
      },
    ];
    const record = { body: { kvlistValue: { values: values.slice(0, 2) } }, attributes: values };
    const sent = { resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] };
    expect((await post({ body: JSON.stringify(sent), type: json })).status).toBe(201);
    const [stored] = await storedRecords(db, orgId, streamId);
    expect(stored?.body).toBe('{"text":"a","yes":true}');
    expect(stored?.attributes).toEqual({
      text: "a",
      yes: true,
      whole: -7,
      huge: "9223372036854775807",
      part: 0.5,
      none: "NaN",
      list: [1, null],
      map: { k: false },
    });
  });

  test("without a time are of the moment at which they came", async () => {
    const { post, orgId, streamId } = await setup();
    const before = Date.now() * 1000;
    await post({ body: protobufLogs([{ body: "when?", atNs: 0n }]) });
    const [stored] = await storedRecords(db, orgId, streamId);
    expect(stored?.atUs).toBeGreaterThanOrEqual(before);
    expect(stored?.atUs).toBeLessThanOrEqual(Date.now() * 1000);
  });

  test("with NULs and broken UTF-8 are kept, and show it", async () => {
    const { post, bodies } = await setup();
    const broken = Buffer.from([0x61, 0xff, 0x00, 0xc3]);
    expect((await post({ body: protobufLogs([{ body: broken }]) })).status).toBe(201);
    const request = JSON.stringify(logRequestOf(["a\0\ud800"], "exe_1"));
    expect((await post({ body: request, type: json })).status).toBe(201);
    expect(await bodies()).toEqual(["a\uFFFD\u2400\uFFFD", "a\u2400\uFFFD"]);
  });

  test("that are too long are cut, between two characters, and say so", async () => {
    const { post, orgId, streamId } = await setup();
    const long = "é".repeat(100_000);
    await post({ body: protobufLogs([{ body: long }, { body: "next" }]) });
    await post({ body: JSON.stringify(logRequestOf([long], "exe_1")), type: json });
    const [first, next, second] = await storedRecords(db, orgId, streamId);
    const cut = `${"é".repeat(32_768)}\nsvc: cut here, it had 200000 bytes.`;
    expect(first).toMatchObject({ body: cut, cutFrom: 200_000 });
    expect(next?.body).toBe("next");
    expect(second).toMatchObject({ body: cut, cutFrom: 200_000 });
  });

  test("that name an execution are the sign that a third-party runner received it", async () => {
    const runner = await givenRunner(db, { parallelism: { deploy: 1 } });
    const token = await givenToken(db, runner);
    const processId = await givenProcess(db, runner, { isOurs: false });
    const admin = await givenToken(db, { orgId: runner.orgId });
    const body = { type: "noop-deploy", operation: "exec" };
    const enqueued = await call<{ id: string; log_stream_id: string }>(
      `POST /v1/runners/${runner.runnerId}/jobs`,
      { token: admin, body },
    );
    expect(enqueued.status).toBe(201);
    expect(processId).toMatch(/^prc_/);
    const { id: jobId, log_stream_id: streamId } = enqueued.body;
    const claimed = await call<{ id: string }>(`POST /v1/runner-jobs/${jobId}/executions`, {
      token,
      body: {},
    });
    const executionId = claimed.body.id;
    const confirmed = async () => {
      const rows = await db<{ confirmed_at: Date | null }[]>`
        select confirmed_at from runner_job_executions where id = ${executionId}`;
      return rows[0]?.confirmed_at;
    };
    const stranger = await givenRunner(db);
    const strangers = `lgs_${(await givenJob(db, stranger)).slice(4)}`;
    const said = protobufLogs([{ body: "hello", executionId }]);
    const byStranger = { streamId: strangers, token: await givenToken(db, stranger), body: said };
    expect((await postLogs({ url, ...byStranger })).status).toBe(201);
    expect(await confirmed()).toBeNull(); // nor does it keep the runner's own word from being heard
    await postLogs({ url, streamId, token, body: said });
    await expect.poll(confirmed).toBeInstanceOf(Date);
  });
});

describe("numbered records", () => {
  test("are stored once, however often they are sent", async () => {
    const { post, bodies, executionId } = await setup();
    const lines = (...seqs: number[]) =>
      protobufLogs(seqs.map((seq) => ({ body: `line ${seq}`, seq, executionId })));
    for (const seqs of [[1, 2], [1, 2, 3], [2], [4, 5], [4, 5]]) {
      expect((await post({ body: lines(...seqs) })).status).toBe(201);
    }
    expect(await bodies()).toEqual([1, 2, 3, 4, 5].map((seq) => `line ${seq}`));
  });

  test("that are late stand where they belong; what is missing shows", async () => {
    const { post, orgId, streamId, executionId, read } = await setup();
    const send = async (...seqs: number[]) =>
      await post({
        body: protobufLogs(seqs.map((seq) => ({ body: `line ${seq}`, seq, executionId }))),
      });
    await send(1, 2);
    await send(6, 7);
    await send(4);
    const stored = await storedRecords(db, orgId, streamId);
    expect(stored.map(({ position, seq }) => [position, seq])).toEqual(
      [1, 2, 4, 6, 7].map((seq) => [seq, seq]),
    );
    const { body: page } = await read();
    expect(page.items.map(({ seq, notice }) => seq ?? notice)).toEqual([
      1,
      2,
      "missing",
      4,
      "missing",
      6,
      7,
    ]);
  });

  test("that jump too far or are no numbers are refused alone, in the way of the protocol", async () => {
    const { post, bodies, executionId } = await setup();
    const lines = [1, 5_000_000, 2].map((seq) => ({ body: `line ${seq}`, seq, executionId }));
    const answer = await post({ body: protobufLogs(lines) });
    expect(answer.status).toBe(201);
    expect(answer.body.subarray(0, 5).toString("hex")).toMatch(/^0a..080112$/);
    expect(answer.text).toContain("svc.seq jumps from 2 to 5000000");
    const sent = JSON.stringify(logRequestOf([{ body: "never", seq: -1 }], executionId));
    const inJson = await post({ body: sent, type: json });
    expect(inJson.status).toBe(201);
    expect(JSON.parse(inJson.text)).toEqual({
      partialSuccess: {
        rejectedLogRecords: "1",
        errorMessage: "svc.seq must be a whole number, 1 or more.",
      },
    });
    expect(await bodies()).toEqual(["line 1", "line 2"]);
  });
});
