import { describe, expect, test } from "vitest";
import type { Emitter, EmitterTicks } from "../../../shared/api/emitter.ts";
import type { QueueSignal } from "../../../shared/api/signal.ts";
import { givenOperator } from "../../support/broker/given-operator.ts";
import { givenQueue, signalStatus } from "../../support/queues/given-signals.ts";
import { givenToken } from "../../support/rows/given-token.ts";

const { db, orgId, call } = await givenOperator("org_admin", {
  env: { SVC_MAX_EMITTERS_PER_ORG: "30", SVC_EGRESS: "strict" },
});

type Refusal = { status: number; code: string; errors?: { pointer: string; code: string }[] };

const cron = {
  name: "nightly",
  mode: "cron",
  cron_schedule: "30 2 * * *",
  signal_type: "work",
  signal_template: { install_id: "ins_1" },
};

async function setup(members: object = {}, queueMembers: Parameters<typeof givenQueue>[1] = {}) {
  const { queueId } = await givenQueue(db, { orgId, ...queueMembers });
  const path = `/v1/queues/${queueId}/emitters`;
  const create = async (body: object) => await call<Emitter>(`POST ${path}`, { body });
  const { body: emitter, status } = await create({ ...cron, ...members });
  expect(status).toBe(201);
  const own = `/v1/emitters/${emitter.id}`;
  return {
    queueId,
    path,
    create,
    emitter,
    own,
    act: async <Body = Emitter>(what: string, body: object = {}) =>
      await call<Body>(`POST ${own}/${what}`, { body }),
    patch: async (body: object, headers = {}) =>
      await call<Emitter & Refusal>(`PATCH ${own}`, { body, headers }),
    remove: async () => await call(`DELETE ${own}`),
  };
}

describe("an emitter", () => {
  test("is shown as it was created, with its next tick", async () => {
    const { emitter, own, queueId, remove } = await setup({ jitter_window: "20m" });
    expect(emitter).toMatchObject({
      queue_id: queueId,
      name: "nightly",
      time_zone: "UTC",
      schedule_description: "at 02:30 every day, UTC",
      jitter_window: 20 * 60e9,
      signal_template: { install_id: "ins_1" },
      pause: null,
      status: { status: "active" },
    });
    expect(emitter.next_tick_at).toMatch(/T02:30:00\.000Z$/);
    expect((await call<Emitter>(`GET ${own}`)).body).toEqual(emitter);
    await remove();
  });

  test("is listed without its template, by its queue and by filters", async () => {
    const { emitter, path, queueId, remove } = await setup();
    const { signal_template: _, status: __, ...own } = emitter;
    const listed = { ...own, signal_template_hidden: true };
    for (const list of [path, `/v1/emitters?queue_id=${queueId}&status=active&name=nightly`]) {
      const { body } = await call<{ items: Emitter[] }>(`GET ${list}`);
      expect(body.items.map(({ id }) => id)).toEqual([emitter.id]);
      expect(body.items[0]).toEqual({ ...listed, status: body.items[0]?.status });
    }
    expect((await call(`GET ${path}?status=done`)).body).toMatchObject({ items: [] });
    const { body: queue } = await call<{ emitters: Emitter[] }>(`GET /v1/queues/${queueId}`);
    expect(queue.emitters.map(({ id }) => id)).toEqual([emitter.id]);
    await remove();
  });

  test("hides its template from who may not see the data of signals", async () => {
    const { own, remove } = await setup();
    const token = await givenToken(db, { orgId, role: "org_read_only" });
    const { body } = await call<Emitter>(`GET ${own}`, { token });
    expect(body).toMatchObject({ signal_template: null, signal_template_hidden: true });
    await remove();
  });

  test("tells its next ticks in words and times, through a change of clocks", async () => {
    const { own, remove } = await setup({
      cron_schedule: "*/15 9-17 * * MON-FRI",
      time_zone: "Europe/Berlin",
    });
    const { body } = await call<EmitterTicks>(`GET ${own}/next?n=100`);
    expect(body).toMatchObject({ time_zone: "Europe/Berlin" });
    expect(body.description).toContain("Europe/Berlin");
    expect(body.ticks).toHaveLength(100);
    const times = body.ticks.map(({ scheduled_for }) => scheduled_for);
    expect(times).toEqual(times.toSorted());
    expect((await call<EmitterTicks>(`GET ${own}/next`)).body.ticks).toHaveLength(10);
    for (const n of ["101", "0", "-1", "0x10", "1e1", "5.0", "%2B5", "%205"])
      expect([n, (await call(`GET ${own}/next?n=${n}`)).status]).toEqual([n, 422]);
    await remove();
  });

  test("gets another next tick with another schedule, and keeps it with another name", async () => {
    const { emitter, patch, remove } = await setup();
    const renamed = await patch({ name: "renamed", dedupe_key: "d" });
    expect(renamed.body).toMatchObject({ name: "renamed", next_tick_at: emitter.next_tick_at });
    const { body } = await patch({ cron_schedule: "0 5 * * *", signal_template: { a: 1 } });
    expect(body.next_tick_at).toMatch(/T05:00:00/);
    expect(body).toMatchObject({ signal_template: { a: 1 }, dedupe_key: "d", time_zone: "UTC" });
    expect((await patch({ dedupe_key: null })).body.dedupe_key).toBeNull();
    expect((await patch({ name: "x" }, { "if-match": `"${emitter.version}"` })).status).toBe(412);
    expect((await patch({ delay: "1m" })).body.errors).toMatchObject([
      { pointer: "#/delay", code: "other_mode" },
    ]);
    await remove();
  });

  test("is paused with a note and an end, and resumed with a tick in the future", async () => {
    const { emitter, act, remove } = await setup();
    const paused = await act("pause", { note: "holidays", until: "2h" });
    expect(paused.body).toMatchObject({
      status: { status: "paused", status_human_description: "holidays" },
      pause: { note: "holidays" },
      next_tick_at: null,
    });
    expect((await act("resume")).body).toMatchObject({
      status: { status: "active" },
      pause: null,
      next_tick_at: emitter.next_tick_at,
    });
    const past = await act<Refusal>("pause", { until: "2001-01-01T00:00:00Z" });
    expect(past.body.errors).toMatchObject([{ pointer: "#/until" }]);
    await remove();
  });

  test("fires at once, also while it is paused, and keeps its schedule", async () => {
    const { emitter, act, own, remove } = await setup();
    await act("pause");
    let [first, count] = ["", 0];
    while (count++ < 2) {
      const fired = await act<QueueSignal>("fire");
      expect(fired.status).toBe(201);
      expect(fired.body).toMatchObject({ emitter_id: emitter.id, type: "work" });
      expect(fired.body.signal).toEqual({ install_id: "ins_1" });
      expect(fired.body.signal_context.scheduled_for).toBeNull();
      expect(await signalStatus(db, fired.body.id)).toBe("queued");
      const { body } = await call<Emitter>(`GET ${own}`);
      first ||= fired.body.id; // it is still live
      expect(body).toMatchObject({ emit_count: count, last_signal_id: first });
    }
    await remove();
  });

  test("is refused to fire into a full queue", async () => {
    const { act, remove } = await setup({}, { maxDepth: 1 });
    await act("fire");
    const full = await act<Refusal>("fire");
    expect([full.status, full.body.code]).toEqual([429, "queue_full"]);
    expect(full.headers.get("retry-after")).toBe("5");
    await remove();
  });

  test("has a name of its own in its queue, and keeps the queue from being deleted", async () => {
    const { create, queueId, remove } = await setup();
    const twice = await create(cron);
    expect([twice.status, (twice.body as unknown as Refusal).code]).toEqual([409, "name_taken"]);
    const kept = await call<Refusal>(`DELETE /v1/queues/${queueId}`);
    expect([kept.status, kept.body.code]).toEqual([409, "queue_has_emitters"]);
    expect((await remove()).status).toBe(204);
    expect((await remove()).status).toBe(404);
    expect((await call(`DELETE /v1/queues/${queueId}`)).status).toBe(204);
  });
});

describe("an emitter is refused", () => {
  const once = { name: "once", mode: "scheduled", signal_type: "work" };
  const refusals: [string, object, string, string][] = [
    ["61 * * * *", { ...cron, cron_schedule: "61 * * * *" }, "#/cron_schedule", "cron_range"],
    [
      "a day that never comes",
      { ...cron, cron_schedule: "* * 31 2 *" },
      "#/cron_schedule",
      "cron_never",
    ],
    ["no expression", { ...cron, cron_schedule: undefined }, "#/cron_schedule", "required"],
    ["an unknown zone", { ...cron, time_zone: "Mars/Base" }, "#/time_zone", "time_zone"],
    [
      "a jitter of a whole period",
      { ...cron, jitter_window: "24h" },
      "#/jitter_window",
      "jitter_too_long",
    ],
    [
      "an instant in the past",
      { ...once, scheduled_at: "2001-01-01T00:00:00Z" },
      "#/scheduled_at",
      "past",
    ],
    [
      "jitter of one that runs once",
      { ...once, scheduled_at: "2099-01-01T00:00:00Z", jitter_window: "1m" },
      "#/jitter_window",
      "other_mode",
    ],
    ["no delay", { name: "later", mode: "fire_once", signal_type: "work" }, "#/delay", "required"],
    ["a reserved type", { ...cron, signal_type: "svc.x" }, "#/signal_type", "unknown_type"],
    [
      "a template that does not fit",
      { ...cron, signal_type: "emitter-stop", signal_template: { emitter_id: "x" } },
      "#/signal_template/emitter_id",
      "invalid_format",
    ],
    [
      "a template that is too large",
      { ...cron, signal_template: { a: "x".repeat(262_144) } },
      "#/signal_template",
      "too_large",
    ],
    [
      "a call to a private address",
      { ...cron, signal_type: "http-call", signal_template: { url: "http://10.0.0.1/" } },
      "#/signal_template/url",
      "blocked_address",
    ],
    ["an unknown member", { ...cron, callbacks: [] }, "#/callbacks", "unknown_member"],
  ];
  test.each(refusals)("for %s", async (_, body, pointer, code) => {
    const { queueId } = await givenQueue(db, { orgId });
    const answer = await call<Refusal>(`POST /v1/queues/${queueId}/emitters`, { body });
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toMatchObject([{ pointer, code }]);
  });

  test("from who may not change queues", async () => {
    const { queueId } = await givenQueue(db, { orgId });
    const token = await givenToken(db, { orgId, role: "org_builder" });
    const sent = { body: cron, token };
    expect((await call(`POST /v1/queues/${queueId}/emitters`, sent)).status).toBe(403);
  });

  test("where there is no queue, and past the number that an org may have", async () => {
    const nowhere = `/v1/queues/que_${"0".repeat(26)}/emitters`;
    expect((await call(`POST ${nowhere}`, { body: cron })).status).toBe(404);
    const { queueId } = await givenQueue(db, { orgId });
    const answers = [];
    for (let nth = 0; nth < 31; nth += 1) {
      const body = { ...cron, name: `emitter ${nth}` };
      answers.push((await call(`POST /v1/queues/${queueId}/emitters`, { body })).status);
    }
    expect(answers).toEqual([...Array.from({ length: 30 }, () => 201), 429]);
  });
});
