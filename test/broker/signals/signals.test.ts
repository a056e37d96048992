import { describe, expect, test } from "vitest";
import type { QueueSignal } from "../../../shared/api/signal.ts";
import { expectSoundSignals } from "../../support/queues/expect-sound-signals.ts";
import { claimSignals, reportSignal } from "../../support/queues/given-signals.ts";
import { givenSignalsApi } from "../../support/queues/signals-api.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenOrg } from "../../support/rows/given.ts";

const { db, call, orgId, mine, enqueue, dead } = await givenSignalsApi();

describe("a signal", () => {
  test("is enqueued with every field, and read again", async () => {
    const queue = await mine();
    const target = await mine();
    const awaited = await enqueue(target, { type: "outer" });
    const { status, body } = await enqueue(queue, {
      type: "sync-install",
      signal: { install_id: "ins_1" },
      owner_id: "ins_1",
      owner_type: "install",
      dedupe_key: "sync ins_1",
      expires_in: "1h",
      max_executions: 5,
      retry_delay: "30s",
      context: { request: "42" },
      awaited_by: awaited.body.id,
      callback: { on: ["finished"], signal: { queue_id: target.queueId, type: "after" } },
      callbacks: [{ on: ["dead"], http_call: { url: "https://example.com/hook" } }],
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      org_id: orgId,
      queue_id: queue.queueId,
      owner_id: "ins_1",
      owner_type: "install",
      type: "sync-install",
      signal: { install_id: "ins_1" },
      signal_hidden: false,
      signal_context: { awaited_by: awaited.body.id, caused_by: null, values: { request: "42" } },
      dedupe_key: "sync ins_1",
      emitter_id: null,
      enqueued: true,
      deduplicated: false,
      execution_count: 0,
      max_executions: 5,
      retry_delay: 30_000_000_000,
      status: { status: "queued", history: [] },
      result: null,
      callbacks: [
        { n: 1, kind: "signal", on: ["finished"], status: "waiting", type: "after" },
        { n: 2, kind: "http-call", on: ["dead"], status: "waiting", queue_id: null },
      ],
    });
    const lasts = Date.parse(body.expires_at ?? "") - Date.parse(body.created_at);
    expect(lasts).toBe(3_600_000);
    const { deduplicated: _, ...shown } = body;
    const { signal: __, queue: none, ...listed } = shown;
    expect(none).toBeNull();
    const read = await call<QueueSignal>(`GET /v1/signals/${body.id}`);
    expect(read).toEqual(expect.objectContaining({ status: 200 }));
    expect(read.body).toEqual({
      ...shown,
      queue: expect.objectContaining({ id: queue.queueId }) as unknown,
      waits: expect.objectContaining({ reason: "no-worker" }) as unknown,
    });
    const inQueue = await call<QueueSignal>(`GET /v1/queues/${queue.queueId}/signals/${body.id}`);
    expect(inQueue.body).toEqual(read.body);
    const elsewhere = `GET /v1/queues/${target.queueId}/signals/${body.id}`;
    expect((await call(elsewhere)).status).toBe(404);
    const { items } = (
      await call<{ items: QueueSignal[] }>(`GET /v1/queues/${queue.queueId}/signals`)
    ).body;
    expect(items).toEqual([{ ...listed, signal_hidden: true }]);
  });

  test("shows its data only to who may see it", async () => {
    const queue = await mine();
    const token = await givenToken(db, { orgId, role: "org_support" });
    const made = await enqueue(queue, { type: "work", signal: { secret: "s" } }, { token });
    expect(made.body).toMatchObject({ signal: null, signal_hidden: true });
    const read = await call(`GET /v1/signals/${made.body.id}`, { token });
    expect(read.body).toMatchObject({ signal: null, signal_hidden: true });
    expect((await call(`GET /v1/signals/${made.body.id}`)).body).toMatchObject({
      signal: { secret: "s" },
      signal_hidden: false,
    });
    const [stored] = await db<{ contents: Buffer }[]>`
      select contents from queue_signals where id = ${made.body.id}`;
    expect(stored?.contents.toString()).not.toContain("secret");
  });

  test("of another org does not exist", async () => {
    const { body } = await enqueue(await mine(), { type: "work" });
    const token = await givenToken(db, { orgId: await givenOrg(db) });
    for (const what of ["GET", "POST cancel", "POST redrive"]) {
      const [method, action] = what.split(" ");
      const path = action === undefined ? body.id : `${body.id}/${action}`;
      const answer = await call(`${method} /v1/signals/${path}`, { token });
      expect(answer).toMatchObject({ status: 404, body: { code: "signal_not_found" } });
    }
  });

  test("tells its result, and what it was before", async () => {
    const queue = await mine();
    const { id } = (await enqueue(queue, { type: "work" })).body;
    const [claimed] = await claimSignals(db, queue);
    expect((await call<QueueSignal>(`GET /v1/signals/${id}`)).body).toMatchObject({
      worker: "worker",
      status: { status: "in-flight", history: [] },
    });
    if (claimed !== undefined) await reportSignal(db, queue, claimed, "finish");
    expect((await call<QueueSignal>(`GET /v1/signals/${id}`)).body).toMatchObject({
      worker: null,
      lease_until: null,
      status: { status: "finished", history: [{ status: "in-flight" }] },
    });
  });
});

describe("a cancel", () => {
  test("ends a live signal once; another end stays", async () => {
    const queue = await mine();
    const { id } = (await enqueue(queue, { type: "work" })).body;
    for (let at = 0; at < 2; at++) {
      const cancelled = await call<QueueSignal>(`POST /v1/signals/${id}/cancel`);
      expect(cancelled).toMatchObject({ status: 200, body: { status: { status: "cancelled" } } });
    }
    const ended = await dead(queue);
    expect(await call(`POST /v1/signals/${ended}/cancel`)).toMatchObject({
      status: 409,
      body: { code: "signal_ended", status: "dead" },
    });
  });
});

describe("a redrive", () => {
  test("of one dead signal puts it back in line", async () => {
    const queue = await mine();
    const id = await dead(queue);
    const back = await call<QueueSignal>(`POST /v1/signals/${id}/redrive`);
    expect(back).toMatchObject({
      status: 200,
      body: { status: { status: "queued" }, execution_count: 0 },
    });
    expect(await call(`POST /v1/signals/${id}/redrive`)).toMatchObject({
      status: 409,
      body: { code: "signal_not_dead" },
    });
  });

  test("of a queue takes all dead ones, or tells of each that was named", async () => {
    const queue = await mine({ maxDepth: 2 });
    const ids = [];
    for (let at = 0; at < 3; at++) ids.push(await dead(queue));
    const path = `POST /v1/queues/${queue.queueId}/signals/redrive`;
    const named = await call(path, {
      body: { signal_ids: [ids[0], "sig_00000000000000000000000000"] },
    });
    expect(named.body).toMatchObject({ redriven: 1 });
    expect(named.body["signals"]).toEqual(
      expect.arrayContaining([
        { signal_id: ids[0], outcome: "redriven" },
        { signal_id: "sig_00000000000000000000000000", outcome: "not-found" },
      ]),
    );
    const full = { redriven: 1, forbidden: 0, signals: [], has_more: true };
    expect((await call(path, { body: {} })).body).toEqual(full);
    expect(await call(`POST /v1/signals/${ids[2]}/redrive`)).toMatchObject({ status: 429 });
    await call(`POST /v1/signals/${ids[0]}/cancel`);
    expect((await call(path, { body: {} })).body).toEqual({ ...full, has_more: false });
    await expectSoundSignals(db);
  });

  test("does not come past a live signal with the same dedupe_key", async () => {
    const queue = await mine();
    const id = await dead(queue, { type: "work", dedupe_key: "d" });
    await enqueue(queue, { type: "work", dedupe_key: "d" });
    expect(await call(`POST /v1/signals/${id}/redrive`)).toMatchObject({
      status: 409,
      body: { code: "dedupe_key_taken" },
    });
  });
});
