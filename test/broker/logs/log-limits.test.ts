import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { startBroker } from "../../support/broker/broker.ts";
import { testDatabase } from "../../support/database/database.ts";
import { type GivenLog, givenLog } from "../../support/logs/given-logs.ts";
import {
  postLogs,
  protobufLogs,
  storedBodies,
  storedRecords,
} from "../../support/logs/otlp-logs.ts";

const database = await testDatabase();
const { db } = database;

async function setup(limits: Readonly<Record<string, string>>) {
  const broker = await startBroker({ url: database.url, env: limits });
  const log = await givenLog(database, broker);
  const { streamId, token } = log;
  const send = async (body: Buffer) => await postLogs({ url: broker.url, streamId, token, body });
  return { ...log, broker, send };
}

/** Text that does not compress to nothing, numbered from the first. */
const batch = (first: number, records: number, length: number) =>
  protobufLogs(
    Array.from({ length: records }, (_, at) => ({
      body: `${first + at} ${"x".repeat(length)}`,
      seq: first + at,
      executionId: "exe_1",
    })),
  );
const numberOf = (body: string) => Number.parseInt(body, 10);

describe("a stream that outgrows its limit", () => {
  test("keeps its beginning and its end, and says what was dropped between them", async () => {
    const { send, streamId, orgId, read } = await setup({
      SVC_LOG_STREAM_MIB: "1",
      SVC_LOG_STREAM_KIB_PER_S: "0",
    });
    for (let first = 1; first <= 3000; first += 100) {
      expect((await send(batch(first, 100, 1000))).status).toBe(201);
    }
    const bytes = async () =>
      Number((await db`select bytes from log_streams where id = ${streamId}`)[0]?.["bytes"]);
    await expect.poll(bytes).toBeLessThanOrEqual(1024 * 1024);
    const kept = (await storedBodies(db, orgId, streamId)).map(numberOf);
    expect(kept.slice(0, 100)).toEqual(Array.from({ length: 100 }, (_, at) => at + 1));
    expect(kept.slice(-500)).toEqual(Array.from({ length: 500 }, (_, at) => at + 2501));
    const [row] = await db<{ records: number; dropped_records: number }[]>`
      select records, dropped_records from log_streams where id = ${streamId}`;
    expect(row).toEqual({ records: kept.length, dropped_records: 3000 - kept.length });
    const { body } = await read("?limit=1000");
    const notices = body.items.filter(({ notice }) => notice !== undefined);
    expect(notices).toMatchObject([{ notice: "dropped" }]);
    expect(notices[0]?.body).toContain(`${3000 - kept.length} records`);
    expect((await send(batch(3001, 1, 10))).status).toBe(201);
  });

  test("keeps less when its org has used up its day", async () => {
    const { send, streamId } = await setup({
      SVC_LOG_ORG_MIB_PER_DAY: "2",
      SVC_LOG_STREAM_KIB_PER_S: "0",
    });
    for (let first = 1; first <= 4000; first += 200) await send(batch(first, 200, 1000));
    const bytes = async () =>
      Number((await db`select bytes from log_streams where id = ${streamId}`)[0]?.["bytes"]);
    await expect.poll(bytes).toBeLessThanOrEqual(1024 * 1024);
  });
});

describe("a sender that is too fast", () => {
  test.each([
    ["its stream", { SVC_LOG_STREAM_KIB_PER_S: "1" }, "This log stream"],
    ["its org", { SVC_LOG_ORG_KIB_PER_S: "1" }, "The log streams of this org"],
  ])("for %s is told to wait, and a notice stands in the stream", async (_, limits, words) => {
    const { send, orgId, streamId } = await setup(limits);
    expect((await send(batch(1, 20, 1000))).status).toBe(201);
    const refused = await send(batch(21, 1, 10));
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect(JSON.parse(refused.text)).toMatchObject({ code: "logs_too_fast" });
    await send(batch(21, 1, 10));
    const notices = async () =>
      (await storedRecords(db, orgId, streamId)).filter(
        ({ attributes }) => attributes["svc.notice"] === "slowed",
      );
    await expect.poll(notices).toMatchObject([{ severity: 13 }]);
    expect((await notices())[0]?.body).toContain(words);
  });
});

describe("a sender that does not heed that it is too fast", () => {
  const mebibyte = 1024 * 1024;

  /** Says that so many bytes come, and sends none of them; answers what comes back meanwhile. */
  function announce(url: string, { streamId, token }: GivenLog, bytes: number) {
    const { port, hostname } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.setEncoding("utf8");
    let text = "";
    socket.on("data", (chunk: string) => (text += chunk));
    socket.on("error", () => {}); // what matters is what came
    socket.write(
      `POST /v1/log-streams/${streamId}/logs HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n` +
        `content-type: application/json\r\ncontent-length: ${bytes}\r\n\r\n`,
    );
    return { socket, said: () => text };
  }

  test("is refused by the head of a request, before its body comes, and by what others announced", async () => {
    const broker = await startBroker({
      url: database.url,
      env: { SVC_LOG_STREAM_KIB_PER_S: "16" },
    });
    const log = await givenLog(database, broker);
    const first = announce(broker.url, log, mebibyte);
    const second = announce(broker.url, log, mebibyte);
    const said = () => [first.said(), second.said()].toSorted().join("");
    await expect.poll(said).toMatch(/^HTTP\/1.1 429 /); // of one of the two: the other one's body may come
    expect(said().match(/logs_too_fast/g)).toHaveLength(1);
    for (const { socket } of [first, second]) socket.destroy();
  });

  test("may send the refused body to its end, and goes on over the same connection", async () => {
    const broker = await startBroker({ url: database.url, env: { SVC_LOG_STREAM_KIB_PER_S: "1" } });
    const log = await givenLog(database, broker);
    expect((await log.write(["x".repeat(20_000)])).status).toBe(201);
    const refused = announce(broker.url, log, mebibyte);
    await expect.poll(refused.said).toMatch(/^HTTP\/1.1 429 /);
    refused.socket.write("x".repeat(mebibyte));
    refused.socket.write("GET /v1/livez HTTP/1.1\r\nhost: x\r\n\r\n");
    await expect.poll(refused.said).toMatch(/HTTP\/1.1 (?:200|404) [^]*$/);
    refused.socket.destroy();
  });

  test("is answered later and later, so that refusing costs little", async () => {
    const broker = await startBroker({ url: database.url, env: { SVC_LOG_STREAM_KIB_PER_S: "1" } });
    const log = await givenLog(database, broker);
    const { streamId, token } = log;
    expect((await log.write(["x".repeat(20_000)])).status).toBe(201);
    const post = () => postLogs({ url: broker.url, streamId, token, body: batch(1, 1, 10) });
    const burst = async () => {
      const answers = await Promise.all(Array.from({ length: 300 }, post));
      expect(answers.map(({ status }) => status)).toContain(429);
      const { body } = await broker.call<string>("GET /metrics");
      return Number(/^svc_log_held_total (\d+)$/m.exec(body)?.[1] ?? 0);
    };
    await expect.poll(burst).toBeGreaterThan(0);
  });
});
