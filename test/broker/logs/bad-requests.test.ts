import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { startBroker } from "../../support/broker/broker.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenLog } from "../../support/logs/given-logs.ts";
import { postLogs, protobufLogs, storedBodies } from "../../support/logs/otlp-logs.ts";

const database = await testDatabase();
const { db } = database;
const env = {
  SVC_RATE_TOKEN_PER_S: "0",
  SVC_RATE_ORG_PER_S: "0",
  SVC_LOG_STREAM_KIB_PER_S: "0",
};
const broker = await startBroker({ url: database.url, env });
const { url } = broker;
const setup = async () => {
  const log = await givenLog(database, broker);
  const post = async (sent: {
    body: Buffer | string;
    type?: string;
    isGzip?: boolean | "already";
  }) => await postLogs({ url, streamId: log.streamId, token: log.token, ...sent });
  const bodies = async () => await storedBodies(db, log.orgId, log.streamId);
  return { ...log, post, bodies };
};
const json = "application/json";

describe("what is no request", () => {
  test.each([
    [
      "protobuf that is cut off",
      { body: protobufLogs([{ body: "x" }]).subarray(0, -3) },
      "malformed_protobuf",
    ],
    ["bytes that are no protobuf", { body: Buffer.from("<html>") }, "malformed_protobuf"],
    ["gzip that is cut off", { body: "x", gzip: "cut" }, "malformed_gzip"],
    ["JSON that is cut off", { body: '{"resourceLogs": [', type: json }, "malformed_json"],
    ["JSON of another shape", { body: '{"resourceLogs": {}}', type: json }, "malformed_otlp"],
  ])("%s is 400, and nothing is stored", async (_, sent, code) => {
    const { streamId, token, bodies } = await setup();
    const headers = new Headers({ authorization: `Bearer ${token}` });
    headers.set("content-type", "type" in sent ? (sent.type ?? "") : "application/x-protobuf");
    if ("gzip" in sent) headers.set("content-encoding", "gzip");
    const body = new Uint8Array(Buffer.from(sent.body as string));
    const request = { method: "POST", headers, body };
    const response = await fetch(`${url}/v1/log-streams/${streamId}/logs`, request);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code, user_error: true });
    expect(await bodies()).toEqual([]);
  });

  test("whatever is cut off anywhere is refused or taken whole, never a fault", async () => {
    const { post } = await setup();
    const whole = protobufLogs([{ body: "some text", seq: 1, executionId: "exe_1", step: "s" }]);
    for (let length = 0; length < whole.length; length += 1) {
      expect((await post({ body: whole.subarray(0, length) })).status).toBeOneOf([201, 400]);
    }
  });

  test("a bomb of gzip, a request that is too large and one record of 100 MB are 413", async () => {
    const { post, bodies } = await setup();
    const mebibyte = gzipSync(Buffer.alloc(1024 * 1024, "y"));
    const packed = (before: Buffer, mebibytes: number) =>
      Buffer.concat([gzipSync(before), ...Array.from({ length: mebibytes }, () => mebibyte)]);
    const bomb = await post({ body: packed(Buffer.alloc(0), 2000), isGzip: "already" });
    const large = await post({ body: protobufLogs([{ body: "x".repeat(5_000_000) }]) });
    // Each of the fields around the text begins with a length of a little more than 100 MiB.
    const length = Buffer.from([0x80, 0x80, 0x80, 0x32]);
    const tags = [0x0a, 0x12, 0x12, 0x2a, 0x0a].map((tag) => Buffer.from([tag]));
    const opened = Buffer.concat(tags.flatMap((tag) => [tag, length]));
    const record = await post({ body: packed(opened, 100), isGzip: "already" });
    expect([bomb.status, large.status, record.status]).toEqual([413, 413, 413]);
    expect(await bodies()).toEqual([]);
    expect((await post({ body: protobufLogs([{ body: "still here" }]) })).status).toBe(201);
  });

  test("another type and another encoding are 415", async () => {
    const { post } = await setup();
    expect((await post({ body: "x", type: "text/plain" })).status).toBe(415);
  });
});
