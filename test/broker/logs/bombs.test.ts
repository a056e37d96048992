import { setImmediate as turn } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { startBroker } from "../../support/broker/broker.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenLog } from "../../support/logs/given-logs.ts";
import { postLogs, protobufLogs, storedBodies } from "../../support/logs/otlp-logs.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenJob } from "../../support/rows/given.ts";

const database = await testDatabase();
const env = {
  SVC_RATE_TOKEN_PER_S: "0",
  SVC_RATE_ORG_PER_S: "0",
  SVC_LOG_STREAM_KIB_PER_S: "0",
  SVC_LOG_ORG_KIB_PER_S: "4096",
};
const broker = await startBroker({ url: database.url, env });
const { url } = broker;
const mebibyte = 1024 * 1024;

const bomb = gzipSync(Buffer.alloc(48 * mebibyte));
/** Says at its end that it has no more than what stands before. */
const lyingBomb = Buffer.concat([bomb, gzipSync("x")]);

const setup = async () => {
  const log = await givenLog(database, broker);
  const post = async (body: Buffer, streamId = log.streamId) =>
    await postLogs({ url, streamId, token: log.token, body, isGzip: "already" });
  return { ...log, post };
};

/** Runs it, and says how much was held for inflation at the most. */
async function watched<Result>(run: () => Promise<Result>) {
  const seen = { mostBytes: 0, isDone: false };
  const done = run().finally(() => (seen.isDone = true));
  while (!seen.isDone) {
    seen.mostBytes = Math.max(seen.mostBytes, broker.broker.decompressions.heldBytes);
    await turn();
  }
  return { result: await done, mostBytes: seen.mostBytes };
}

describe("many bombs at once", () => {
  test.each([
    ["that say how large they are", bomb],
    ["that do not say it", lyingBomb],
  ])("%s take bounded room, and another stream's log goes through", async (_, sent) => {
    const { post, ...runner } = await setup();
    const { orgId } = runner;
    const other = `lgs_${(await givenJob(database.db, runner)).slice(4)}`;
    const { result, mostBytes } = await watched(async () => {
      const bombs = Array.from({ length: 12 }, async () => (await post(sent)).status);
      const honest = await post(gzipSync(protobufLogs([{ body: "meanwhile" }])), other);
      return { honest: honest.status, bombs: await Promise.all(bombs) };
    });
    expect(result.honest).toBe(201);
    for (const status of result.bombs) expect(status).toBeOneOf([413, 503]);
    expect(result.bombs).toContain(413);
    expect(mostBytes).toBeGreaterThan(0);
    expect(mostBytes).toBeLessThanOrEqual(64 * mebibyte);
    expect((await post(gzipSync(protobufLogs([{ body: "after" }])), other)).status).toBe(201);
    expect(await storedBodies(database.db, orgId, other)).toEqual(["meanwhile", "after"]);
    expect(broker.broker.decompressions.heldBytes).toBe(0);
  });

  test.each(["traces", "metrics"])("of %s take bounded room, too", async (kind) => {
    const { orgId, runnerId } = await setup();
    const headers = {
      authorization: `Bearer ${await givenToken(database.db, { orgId, runnerId })}`,
      "content-type": "application/x-protobuf",
      "content-encoding": "gzip",
    };
    const path = `${url}/v1/runners/${runnerId}/${kind}`;
    const post = async () =>
      (await fetch(path, { method: "POST", headers, body: new Uint8Array(lyingBomb) })).status;
    const all = async () => await Promise.all(Array.from({ length: 12 }, post));
    const { result, mostBytes } = await watched(all);
    for (const status of result) expect(status).toBeOneOf([413, 503]);
    expect(mostBytes).toBeGreaterThan(0);
    expect(mostBytes).toBeLessThanOrEqual(32 * mebibyte);
  });
});

test("a log in several parts of gzip is read whole, whatever the last says of its size", async () => {
  const { post, orgId, streamId } = await setup();
  const lines = ["a", "b"].map((text) => protobufLogs([{ body: text.repeat(1000) }]));
  const parts = Buffer.concat([...lines.map((line) => gzipSync(line)), gzipSync("")]);
  expect((await post(parts)).status).toBe(201);
  const bodies = await storedBodies(database.db, orgId, streamId);
  expect(bodies.map((body) => body.length)).toEqual([1000, 1000]);
});
