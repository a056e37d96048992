import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import type { QueueSignal } from "../../../shared/api/signal.ts";
import { expectSoundSignals } from "../../support/queues/expect-sound-signals.ts";
import { claimSignals, type GivenQueue, reportSignal } from "../../support/queues/given-signals.ts";
import { type Enqueued, type Refusal, givenSignalsApi } from "../../support/queues/signals-api.ts";

const { broker, db, call, orgId, token, mine, enqueue, refusal } = await givenSignalsApi();

const longSignals = Array.from({ length: 4 }, () => ({
  type: "work",
  signal: { text: "x".repeat(100_000) },
}));

describe("a dedupe_key", () => {
  test("keeps one live signal of fifty simultaneous ones, and says which", async () => {
    const queue = await mine();
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => enqueue(queue, { type: "work", dedupe_key: "one" })),
    );
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    const kept = answers.filter(({ status }) => status === 200);
    expect(kept).toHaveLength(49);
    expect(kept.every(({ body }) => body.deduplicated)).toBe(true);
    await expectSoundSignals(db);
  });

  test("can be used again when its signal has ended", async () => {
    const queue = await mine();
    const first = await enqueue(queue, { type: "work", dedupe_key: "again" });
    await call(`POST /v1/signals/${first.body.id}/cancel`);
    const second = await enqueue(queue, { type: "work", dedupe_key: "again" });
    expect(second.status).toBe(201);
    expect(second.body.id).not.toBe(first.body.id);
  });
});

describe("an Idempotency-Key", () => {
  test("makes one signal of repetitions, also of twelve at once", async () => {
    const queue = await mine();
    const headers = { "idempotency-key": "lost-reply" };
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => enqueue(queue, { type: "work" }, { headers })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    const again = await enqueue(queue, { type: "work" }, { headers });
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(await refusal(queue, { type: "other" }, { headers })).toEqual([
      422,
      "invalid",
      "header:Idempotency-Key idempotency_key_reused",
    ]);
  });

  test("whose signal was kept instead answers the kept one again", async () => {
    const queue = await mine();
    const kept = await enqueue(queue, { type: "work", dedupe_key: "k" });
    const headers = { "idempotency-key": "of-a-kept-one" };
    const ask = () => enqueue(queue, { type: "work", dedupe_key: "k" }, { headers });
    const answers = [...(await Promise.all([ask(), ask(), ask()])), await ask()];
    expect(new Set(answers.map(({ body }) => body.id))).toEqual(new Set([kept.body.id]));
    for (const { status, body } of answers) {
      expect([status, body.deduplicated]).toEqual([200, true]);
    }
  });

  test("of a batch answers for each signal again whether it was kept", async () => {
    const queue = await mine();
    await enqueue(queue, { type: "work", dedupe_key: "live" });
    const keys = ["live", "new", "new", undefined];
    const body = { signals: keys.map((dedupe_key) => ({ type: "work", dedupe_key })) };
    const headers = { "idempotency-key": "a-batch" };
    const ask = async () => {
      const path = `POST /v1/queues/${queue.queueId}/signals/batch`;
      const answer = await call<{ signals: Enqueued[] }>(path, { body, headers });
      return answer.body.signals.map(({ id, deduplicated }) => ({ id, deduplicated }));
    };
    const first = await ask();
    expect(first.map(({ deduplicated }) => deduplicated)).toEqual([true, false, true, false]);
    expect(await ask()).toEqual(first);
  });

  test("of a refused request can be used again", async () => {
    const queue = await mine({ maxDepth: 1 });
    await enqueue(queue, { type: "work" });
    const headers = { "idempotency-key": "full" };
    expect((await enqueue(queue, { type: "work" }, { headers })).status).toBe(429);
    await call(`POST /v1/queues/${queue.queueId}/purge`, { body: {} });
    expect((await enqueue(queue, { type: "work" }, { headers })).status).toBe(201);
  });
});

describe("a batch", () => {
  const batch = (queue: GivenQueue, signals: readonly object[], options: object = {}) =>
    call<{ signals: Enqueued[] } & Refusal>(`POST /v1/queues/${queue.queueId}/signals/batch`, {
      body: { signals },
      ...options,
    });

  test("is enqueued in its order, and answered in it", async () => {
    const queue = await mine();
    const signals = ["c", "a", "b"].map((owner) => ({ type: "work", owner_id: owner }));
    const made = await batch(queue, signals);
    expect(made.status).toBe(201);
    expect(made.body.signals.map((one) => one.owner_id)).toEqual(["c", "a", "b"]);
    for (const { id } of made.body.signals) {
      const [claimed] = await claimSignals(db, queue);
      expect(claimed?.id).toBe(id);
      if (claimed !== undefined) await reportSignal(db, queue, claimed, "finish");
    }
  });

  test("is enqueued as a whole or not at all", async () => {
    const queue = await mine({ maxDepth: 2 });
    const three = await batch(queue, [{ type: "a" }, { type: "b" }, { type: "c" }]);
    expect(three).toMatchObject({ status: 429, body: { code: "queue_full" } });
    const wrong = await batch(queue, [{ type: "a" }, { type: "noop", signal: { x: 1 } }]);
    expect(wrong.body.errors).toMatchObject([{ pointer: "#/signals/1/signal/x" }]);
    const late = await batch(queue, [
      { type: "a" },
      { type: "b", expires_at: "2020-01-01T00:00:00Z" },
    ]);
    expect(late.body.errors).toMatchObject([{ pointer: "#/signals/1/expires_at" }]);
    expect(await claimSignals(db, queue, 5)).toEqual([]);
  });

  test("keeps live signals, and the first of its own, with the same dedupe_key", async () => {
    const queue = await mine();
    const live = await enqueue(queue, { type: "work", dedupe_key: "live" });
    const { body } = await batch(queue, [
      { type: "work", dedupe_key: "new" },
      { type: "work", dedupe_key: "live" },
      { type: "work", dedupe_key: "new" },
    ]);
    const [first, second, third] = body.signals;
    expect([first?.deduplicated, second?.deduplicated, third?.deduplicated]).toEqual([
      false,
      true,
      true,
    ]);
    expect([second?.id, third?.id]).toEqual([live.body.id, first?.id]);
    await expectSoundSignals(db);
  });

  test("that is large is taken, its data as it was sent", async () => {
    const queue = await mine();
    const text = "y".repeat(100_000);
    const signals = Array.from({ length: 12 }, (_, at) => ({ type: "work", signal: { at, text } }));
    const headers = { "idempotency-key": "large" };
    const made = await batch(queue, signals, { headers });
    expect(made.status).toBe(201);
    const [, second] = made.body.signals;
    const read = await call<QueueSignal>(`GET /v1/signals/${second?.id}`);
    expect(read.body.signal).toEqual({ at: 1, text });
    const again = await batch(queue, signals, { headers });
    expect(again.body.signals.map(({ id }) => id)).toEqual(made.body.signals.map(({ id }) => id));
    const tooLarge = [...signals, { type: "work", signal: { text: "z".repeat(300_000) } }];
    expect((await batch(queue, tooLarge)).body.errors).toMatchObject([
      { pointer: "#/signals/12/signal", code: "too_large" },
    ]);
  });

  test("that is large and full of values is taken and told, its data as it was sent", async () => {
    const queue = await mine();
    const all = "[0, 1.50],".repeat(25_000);
    const signal = `{ "n": 12345678901234567890, "all": [${all}[]] }`;
    const one = `{"type":"work","signal":${signal},"context":{"by":"me"}}`;
    const batchOf = (last: string) => `{"signals":[${`${one},`.repeat(3)}${last}]}`;
    const send = async (body: string) => {
      const path = `/v1/queues/${queue.queueId}/signals/batch`;
      const headers = { "idempotency-key": "values" };
      return await call<{ signals: QueueSignal[] }>(`POST ${path}`, { body, headers });
    };
    const made = await send(batchOf(one));
    expect(made.status).toBe(201);
    expect(made.body.signals).toHaveLength(4);
    const last = made.body.signals[3];
    expect(last?.signal_context).toMatchObject({ values: { by: "me" } });
    expect(last?.signal).toEqual(JSON.parse(signal));
    const again = await send(batchOf(one));
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect((await send(batchOf('{"type":"work","signal":{"n":1}}'))).status).toBe(422);
    const read = await call<QueueSignal>(`GET /v1/signals/${last?.id}`);
    expect(read.body.signal).toEqual(last?.signal);
  });

  test("that is large holds no permit while it waits for the memory of its answer", async () => {
    const queue = await mine();
    const { downloads } = broker.broker;
    const leave = downloads.hold({ orgId, tokenId: "other", bytes: 64 * 1024 * 1024 });
    const made = batch(queue, longSignals);
    await expect.poll(() => downloads.waiting).toBe(1);
    expect((await call<string>("GET /metrics")).body).toMatch(/^svc_requests_seated 0$/m);
    leave();
    expect((await made).status).toBe(201);
    await expect.poll(() => downloads.heldBytes).toBe(0);
  });

  test("that is large counts all that it keeps while a client takes none of its answer", async () => {
    const queue = await mine();
    const { downloads } = broker.broker;
    const words = Array.from({ length: 50 }, (_, at) => [`word ${at}`, "x".repeat(4000)] as const);
    const one = { type: "work", signal: { n: 1 }, context: Object.fromEntries(words) };
    const body = JSON.stringify({ signals: Array.from({ length: 70 }, () => one) });
    const { hostname, port } = new URL(broker.url);
    const client = connect(Number(port), hostname).on("error", () => {}); // it is broken off
    client.pause();
    client.write(
      `POST /v1/queues/${queue.queueId}/signals/batch HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n` +
        `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    // The body, of which the data is a part; its value; and the JSON that is sent.
    await expect.poll(() => downloads.heldBytes).toBeGreaterThan(3 * body.length - 10_000);
    await expect.poll(async () => await claimable(queue.queueId)).toBe(70);
    expect(downloads.heldBytes).toBeGreaterThan(3 * body.length - 10_000);
    client.destroy();
    await expect.poll(() => downloads.heldBytes).toBe(0);
  });

  const claimable = async (queueId: string) =>
    (await db`select 1 from queue_signal_live where queue_id = ${queueId}`).length;

  test("has at most a thousand signals, which may all be there", async () => {
    const queue = await mine();
    const signals = Array.from({ length: 1001 }, () => ({
      type: "work",
      signal: { a: [1, 2, 3] },
    }));
    expect((await batch(queue, signals)).status).toBe(422);
    const made = await batch(queue, signals.slice(1));
    expect(made.status).toBe(201);
    expect(made.body.signals).toHaveLength(1000);
  });
});
