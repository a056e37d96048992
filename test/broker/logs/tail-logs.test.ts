import { describe, expect, onTestFinished, test, vi } from "vitest";
import { findLogStream } from "../../../broker/logs/store/queries.ts";
import { tailLog } from "../../../broker/logs/tail/tail-log.ts";
import { startBroker } from "../../support/broker/broker.ts";
import { type EventReader, openEvents } from "../../support/broker/event-reader.ts";
import { testDatabase } from "../../support/database/database.ts";
import { type GivenLog, givenLog, type Line } from "../../support/logs/given-logs.ts";
import { givenToken } from "../../support/rows/given-token.ts";

const database = await testDatabase();
const { db } = database;
const env = { SVC_RATE_TOKEN_PER_S: "0", SVC_RATE_ORG_PER_S: "0" };
const brokers = [
  await startBroker({ url: database.url, env }),
  await startBroker({ url: database.url, env }),
] as const;
const [broker, other] = brokers;
const setup = async () => await givenLog(database, broker);

const numbered = (count: number, from = 1): Line[] =>
  Array.from({ length: count }, (_, at) => ({ body: `line ${from + at}`, seq: from + at }));
const bodies = (lines: readonly Line[]): string[] => lines.map(({ body }) => body);

async function tail(
  { admin, path }: GivenLog,
  {
    query = "",
    at = broker,
    lastEventId,
  }: { query?: string; at?: { url: string }; lastEventId?: string } = {},
): Promise<EventReader> {
  const resumed = lastEventId === undefined ? {} : { lastEventId };
  return await openEvents(`${at.url}${path}/logs/tail${query}`, { token: admin, ...resumed });
}

const expectBodies = async (reader: EventReader, expected: readonly string[]): Promise<void> =>
  await expect.poll(reader.bodies).toEqual(expected);

describe("a tail", () => {
  test("tells what is there, then what comes, through whichever broker, to the close", async () => {
    const log = await setup();
    await log.write(numbered(2));
    const reader = await tail(log);
    expect(reader.status).toBe(200);
    expect(reader.headers.get("content-type")).toBe("text/event-stream");
    expect(reader.headers.get("x-accel-buffering")).toBe("no");
    await expectBodies(reader, bodies(numbered(2)));
    await log.write(numbered(2, 3), other);
    await log.write(numbered(2, 5));
    await expectBodies(reader, bodies(numbered(6)));
    await log.close();
    await reader.ended;
    expect(reader.events.at(-1)).toMatchObject({ type: "end" });
    expect(reader.bodies()).toEqual(bodies(numbered(6)));
  });

  test("begins where it is asked to", async () => {
    const log = await setup();
    await log.write(numbered(5));
    await expectBodies(await tail(log, { query: "?last=2" }), ["line 4", "line 5"]);
    await expectBodies(await tail(log, { query: "?cursor=3" }), ["line 3", "line 4", "line 5"]);
    const none = await tail(log, { query: "?last=0" });
    await log.write(numbered(1, 6));
    await expectBodies(none, ["line 6"]);
  });

  test("begins with the last that its filter lets through, however far back they are", async () => {
    const log = await setup();
    await log.write(["needle 1", "needle 2"]);
    const filler = Array.from({ length: 20 }, () => "x".repeat(60_000));
    for (let n = 0; n < 17; n++) await log.write(filler);
    await log.write(["needle 3"]);
    const reader = await tail(log, { query: "?last=2&q=needle" });
    await expectBodies(reader, ["needle 2", "needle 3"]);
  });

  test("is resumed by the id of its last event, at another broker, without loss or repetition", async () => {
    const log = await setup();
    await log.write(numbered(3));
    const first = await tail(log);
    await expectBodies(first, bodies(numbered(3)));
    first.close();
    await first.ended;
    await log.write(numbered(2, 4));
    const second = await tail(log, { at: other, lastEventId: first.lastId() });
    await expectBodies(second, ["line 4", "line 5"]);
  });

  test("of what is closed and told is 204 to who resumes, and an end to who begins", async () => {
    const log = await setup();
    await log.write(numbered(1));
    await log.close();
    const whole = await tail(log);
    await whole.ended;
    expect(whole.events.map(({ type }) => type)).toEqual(["message", "end"]);
    const again = await tail(log, { lastEventId: whole.lastId() });
    expect(again.status).toBe(204);
  });

  test("lets through what its filter says", async () => {
    const log = await setup();
    await log.write([{ body: "quiet" }, { body: "LOUD one", severity: 17 }]);
    const reader = await tail(log, { query: "?severity=error&q=loud" });
    await log.write([{ body: "loud, but no error" }, { body: "loud two", severity: 21 }]);
    await expectBodies(reader, ["LOUD one", "loud two"]);
  });

  test("waits for records that come late, and says so when they do not", async () => {
    const log = await setup();
    const reader = await tail(log);
    await log.write(numbered(2));
    // As long as no time passes, whatever comes late comes in time.
    const clock = vi.spyOn(performance, "now").mockReturnValue(performance.now());
    onTestFinished(() => clock.mockRestore());
    await Promise.all([log.write(numbered(1, 5)), log.write(numbered(2, 3), other)]);
    await expectBodies(reader, bodies(numbered(5)));
    clock.mockRestore();
    await log.write(numbered(1, 8));
    await expect.poll(() => reader.events.length).toBe(7);
    expect(reader.events[5]?.value).toMatchObject({ notice: "missing" });
    expect(reader.bodies().at(-1)).toBe("line 8");
  });

  test("is refused with the place of what is wrong", async () => {
    const log = await setup();
    const token = log.admin;
    const answer = await broker.call(`GET ${log.path}/logs/tail?cursor=x`, { token });
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ pointer: "?cursor" }] } });
    const headers = { "last-event-id": "x" };
    const resumed = await broker.call(`GET ${log.path}/logs/tail`, { token, headers });
    expect(resumed).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: "header:Last-Event-ID", code: "invalid_cursor" }] },
    });
  });

  test("whose wake-up was lost comes by the fallback", async () => {
    const log = await setup();
    await log.write(numbered(1));
    const reader = await tail(log);
    await expectBodies(reader, ["line 1"]);
    // Written by nobody who tells: as when a NOTIFY is lost.
    await db`
      insert into log_chunks
      select day, org_id, stream_id, 2, records, bytes, first_at, last_at, min_severity, max_severity, steps, codec,
             body, received_at
        from log_chunks where stream_id = ${log.streamId}`;
    await db`update log_streams set next_position = 3 where id = ${log.streamId}`;
    await expectBodies(reader, ["line 1", "line 1"]);
  });
});

test("a follower whose filter lets nothing of a busy stream through is told how far it was read", async () => {
  const log = await setup();
  const org = log.orgId;
  const found = await findLogStream(db, org, log.streamId);
  if (found === undefined) throw new Error("there is no stream");
  const parts = { db, feed: broker.broker.logFeed };
  const gone = new AbortController();
  const tailing = { from: 1, filter: { minSeverity: 17 }, signal: gone.signal, idleMs: 400 };
  const writing = (async () => {
    for (let n = 1; !gone.signal.aborted; n++) await log.write(numbered(1, n));
  })();
  for await (const { kind, batch } of tailLog(parts, org, found, tailing)) {
    expect(kind).toBe("idle");
    if (batch.next > 5) break;
  }
  gone.abort();
  await writing;
});

test("a follower whose token is revoked hears no more, at whichever broker", async () => {
  const log = await setup();
  const token = await givenToken(db, { orgId: log.orgId, role: "org_read_only" });
  const reader = await openEvents(`${other.url}${log.path}/logs/tail`, { token });
  await log.write(numbered(1));
  await expectBodies(reader, ["line 1"]);
  const { body } = await broker.call<{ id: string }>("GET /v1/tokens/current", { token });
  await broker.call(`DELETE /v1/tokens/${body.id}`, { token: log.admin });
  await expect.poll(async () => (await other.call(`GET ${log.path}`, { token })).status).toBe(401);
  await log.write(numbered(1, 2));
  await reader.ended;
  expect(reader.bodies()).toEqual(["line 1"]);
});

test("500 followers of one stream hear every record once, from one reader", async () => {
  const log = await setup();
  await log.write(numbered(1));
  const readers = await Promise.all(Array.from({ length: 500 }, async () => await tail(log)));
  expect(broker.broker.logFeed.followers()).toBeGreaterThanOrEqual(500);
  for (let n = 0; n < 20; n++) await log.write(numbered(5, 2 + n * 5), brokers[n % 2]);
  const expected = bodies(numbered(101));
  for (const reader of readers) await expectBodies(reader, expected);
  for (const reader of readers) reader.close();
  await expect.poll(() => broker.broker.logFeed.followers()).toBe(0);
});

test("a slow follower holds up nobody and loses nothing", async () => {
  const log = await setup();
  const count = 600;
  const filler = "x".repeat(40_000);
  const slow = await fetch(`${broker.url}${log.path}/logs/tail`, {
    headers: { authorization: `Bearer ${log.admin}` },
  });
  const quick = await tail(log);
  for (let n = 0; n < count; n += 20) {
    await log.write(
      numbered(20, n + 1).map((line) => ({ ...line, body: `${line.body} ${filler}` })),
    );
  }
  await expect.poll(() => quick.events.length).toBe(count);
  await log.close();
  const text = await slow.text();
  const heard = [...text.matchAll(/"body":"(line \d+) /g)].map(([, body]) => body);
  expect(heard).toEqual(bodies(numbered(count)));
  expect(text).toContain("event: end");
});

test("a stopping broker sends its followers away at once", async () => {
  const third = await startBroker({ url: database.url, env });
  const log = await setup();
  await log.write(numbered(2));
  const reader = await tail(log, { at: third });
  await expectBodies(reader, bodies(numbered(2)));
  await third.stop();
  await reader.ended;
  expect(reader.events).toHaveLength(2);
  const resumed = await tail(log, { lastEventId: reader.lastId() });
  await log.write(numbered(1, 3));
  await expectBodies(resumed, ["line 3"]);
});
