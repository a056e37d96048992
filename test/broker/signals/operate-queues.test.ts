import { describe, expect, test } from "vitest";
import type { Queue } from "../../../shared/api/queue.ts";
import type { Answer } from "../../support/broker/broker.ts";
import { givenOperator } from "../../support/broker/given-operator.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { claimSignals, givenQueue, givenSignal } from "../../support/queues/given-signals.ts";
import type { Refusal } from "../../support/queues/signals-api.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenOrg } from "../../support/rows/given.ts";

type Page = { readonly items: Queue[]; readonly next_cursor: string | null };

const by = await givenOperator();
const { db, call, orgId } = by;
const create = async (): Promise<Queue> =>
  (await call<Queue>("POST /v1/queues", { body: { name: "paused" } })).body;

describe("a pause", () => {
  test("has a note and an end, and is ended by hand or by its time", async () => {
    const { id } = await create();
    const pause = { note: "maintenance", until: "10m" };
    const paused = await call<Queue>(`POST /v1/queues/${id}/pause`, { body: pause });
    expect(paused).toMatchObject({
      status: 200,
      body: {
        paused: true,
        paused_note: "maintenance",
        status_v2: { status: "paused", status_human_description: "maintenance" },
      },
    });
    expect(paused.body.paused_until).not.toBeNull();
    const enqueued = await call(`POST /v1/queues/${id}/signals`, { body: { type: "work" } });
    expect(enqueued.status).toBe(201);
    expect(await claimSignals(db, { orgId, queueId: id })).toEqual([]);
    const resumed = await call<Queue>(`POST /v1/queues/${id}/resume`, { body: {} });
    expect(resumed.body).toMatchObject({ paused: false, paused_note: null, paused_until: null });
    await call(`POST /v1/queues/${id}/pause`, { body: pause });
    await advanceClock(db, "11 minutes");
    await expect
      .poll(async () => (await call<Queue>(`GET /v1/queues/${id}`)).body.paused)
      .toBe(false);
  });

  test.each([
    ["2020-01-01T00:00:00Z", "until_past"],
    ["9999-01-01T00:00:00Z", "until_far"],
    ["400d", "until_far"],
    ["soon", "invalid_until"],
  ])("until %s is refused", async (until, code) => {
    const { id } = await givenIn();
    const refused = await call<Refusal>(`POST /v1/queues/${id}/pause`, { body: { until } });
    expect(refused).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: "#/until", code }] },
    });
  });
});

describe("a purge", () => {
  test("cancels what waits, and what is in flight only if asked", async () => {
    const { id } = await givenIn();
    const queue = { orgId, queueId: id };
    for (let at = 0; at < 3; at++) await givenSignal(db, queue);
    await claimSignals(db, queue);
    const waiting = await call(`POST /v1/queues/${id}/purge`, { body: {} });
    expect(waiting).toMatchObject({ status: 200, body: { purged: 2, has_more: false } });
    const rest = await call(`POST /v1/queues/${id}/purge`, { body: { in_flight: true } });
    expect(rest.body).toEqual({ purged: 1, has_more: false });
    const { body } = await call(`GET /v1/queues/${id}/status`);
    expect(body).toMatchObject({ depth: 0, in_flight: [], bytes: 0, counts: { cancelled: 3 } });
  });
});

describe("the status of a queue", () => {
  test("counts what is in it", async () => {
    const { id } = await givenIn(2);
    const queue = { orgId, queueId: id };
    for (let at = 0; at < 4; at++) await givenSignal(db, queue);
    await claimSignals(db, queue, 1);
    const { status, body } = await call(`GET /v1/queues/${id}/status`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      queue_id: id,
      paused: false,
      depth: 3,
      delayed: 0,
      queueDepthCount: 3,
      in_flight: [expect.stringMatching(/^sig_/)],
      inFlightCount: 1,
      ready: true,
      stopped: false,
      max_in_flight: 2,
      counts: { queued: 3, "in-flight": 1, retrying: 0, dead: 0 },
    });
    expect(body["oldest_age_seconds"]).toBeTypeOf("number");
    expect((await call<Queue>(`GET /v1/queues/${id}`)).body.queue_signal).toHaveLength(3);
  });
});

describe("the list of queues", () => {
  test("is paged, filtered, and ends with the queues of runners", async () => {
    const other = await givenOrg(db);
    const token = await givenToken(db, { orgId: other });
    const made: string[] = [];
    for (let at = 0; at < 3; at++) made.push((await givenQueue(db, { orgId: other })).queueId);
    const group = await call<{ id: string }>("POST /v1/runner-groups", {
      token,
      body: { type: "install", platform: "aws" },
    });
    const runner = await call<{ id: string; queues: { id: string }[] }>("POST /v1/runners", {
      token,
      body: { name: "one", runner_group_id: group.body.id },
    });
    const seen: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const page: Answer<Page> = await call<Page>(`GET /v1/queues?limit=2&cursor=${cursor}`, {
        token,
      });
      expect(page.status).toBe(200);
      seen.push(...page.body.items.map(({ id }) => id));
      ({ next_cursor: cursor } = page.body);
    }
    expect(seen.slice(0, 3)).toEqual(made.toReversed());
    expect(seen.slice(3).toSorted()).toEqual(runner.body.queues.map(({ id }) => id).toSorted());
    const own = await call<{ items: Queue[] }>("GET /v1/queues?owner_type=runner&name=deploy", {
      token,
    });
    expect(own.body.items).toMatchObject([
      { id: `${runner.body.id}:deploy`, owner_type: "runner", owner_id: runner.body.id },
    ]);
    const paused = await call<{ items: Queue[] }>("GET /v1/queues?status=paused", { token });
    expect(paused.body.items).toEqual([]);
  });

  test("shows the queue of a runner's job group, which is changed elsewhere", async () => {
    const { id } = await by.createRunner();
    const queue = `${id}:deploy`;
    const read = await call<Queue>(`GET /v1/queues/${queue}`);
    expect(read).toMatchObject({
      status: 200,
      body: { id: queue, name: "deploy", owner_type: "runner" },
    });
    expect((await call(`GET /v1/queues/${id}:nothing`)).status).toBe(404);
    for (const what of ["POST pause", "POST resume", "POST purge", "PATCH", "DELETE"]) {
      const [method, action] = what.split(" ");
      const path = action === undefined ? queue : `${queue}/${action}`;
      const body = method === "DELETE" ? {} : { body: {} };
      expect(await call(`${method} /v1/queues/${path}`, body)).toMatchObject({
        status: 409,
        body: { code: "runner_queue" },
      });
    }
    const enqueued = await call(`POST /v1/queues/${queue}/signals`, { body: { type: "work" } });
    expect(enqueued).toMatchObject({ status: 409, body: { code: "runner_queue" } });
  });
});

/** A queue of the operator's org. */
async function givenIn(maxInFlight = 1): Promise<{ readonly id: string }> {
  const { queueId } = await givenQueue(db, { orgId, maxInFlight });
  return { id: queueId };
}
