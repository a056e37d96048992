import { describe, expect, test } from "vitest";
import type { Emitter } from "../../../shared/api/emitter.ts";
import type { Queue } from "../../../shared/api/queue.ts";
import type { QueueSignal } from "../../../shared/api/signal.ts";
import { until } from "../../support/broker/given-polling.ts";
import { givenJob, givenRunner } from "../../support/rows/given.ts";
import { givenLanes, operator } from "../../support/tokens/given-lanes.ts";

const { db, org, own, worker, made, namedQueue, statusOf, withRole, lane, byHand } =
  await givenLanes();
const refused = { status: 403, body: { code: "permission_missing" } };

/** Signals that act on a lane, or on what its install has. */
const acting = {
  "a flush of a lane": { type: "flush", signal: { queue_id: lane.queue_id } },
  "a flush of an install's runner": { type: "flush", signal: { runner_id: own.runner.runnerId } },
  "an emitter's start": { type: "emitter-start", signal: { emitter_id: lane.emitter_id } },
  "an emitter's stop": { type: "emitter-stop", signal: { emitter_id: lane.emitter_id } },
  "a callback into a lane": {
    type: "noop",
    callback: { signal: { queue_id: lane.queue_id, type: "noop", signal: {} } },
  },
  "a callback that flushes a lane": {
    type: "noop",
    callbacks: [
      { signal: { queue_id: byHand.queue_id, type: "flush", signal: { queue_id: lane.queue_id } } },
    ],
  },
};

describe.each(Object.entries(acting))("%s", (_, signal) => {
  test("is filed by who may do that by hand", async () => {
    const queue = await namedQueue(`of ${crypto.randomUUID()}`);
    await made(`POST /v1/queues/${queue}/pause`, {});
    const file = `POST /v1/queues/${queue}/signals`;
    expect(await worker(file, signal)).toMatchObject(refused);
    const batch = { signals: [{ type: "noop" }, signal] };
    expect(await worker(`${file}/batch`, batch)).toMatchObject(refused);
    expect((await org.api<Queue>(`GET /v1/queues/${queue}`)).body.depth).toBe(0);
    expect((await org.api(file, signal)).status).toBe(201);
  });
});

test("jobs that wait for an install's runner are ended by hand by whoever operates installs, of another runner by others, too", async () => {
  const { caller } = await withRole("flusher", operator);
  const others = await givenRunner(db, { orgId: org.orgId });
  const job = await givenJob(db, own.runner);
  expect(await caller(`POST /v1/runners/${own.runner.runnerId}/flush`, {})).toMatchObject(refused);
  expect((await caller(`POST /v1/runners/${others.runnerId}/flush`, {})).status).toBe(200);
  const waiting = () => db`select from runner_job_live where id = ${job}`;
  expect(await waiting()).toHaveLength(1);
  expect((await org.api(`POST /v1/runners/${own.runner.runnerId}/flush`, {})).status).toBe(200);
  expect(await waiting()).toHaveLength(0);
});

const emitting = Object.entries(acting).flatMap(([name, one]) =>
  "signal" in one ? [[name, one] as const] : [],
);

describe.each(emitting)("%s", (_, { type, signal }) => {
  test("is made by no emitter that another makes, changes or fires", async () => {
    const queue = await namedQueue(`of ${crypto.randomUUID()}`);
    const schedule = { name: "e", mode: "cron", cron_schedule: "0 3 1 1 *" };
    const emitter = { ...schedule, signal_type: type, signal_template: signal };
    const to = `POST /v1/queues/${queue}/emitters`;
    expect(await worker(to, emitter)).toMatchObject(refused);
    const idle = { ...schedule, name: "idle", signal_type: "noop", signal_template: {} };
    const { id } = (await worker<Emitter>(to, idle)).body;
    const change = { signal_type: type, signal_template: signal };
    expect(await worker(`PATCH /v1/emitters/${id}`, change)).toMatchObject(refused);
    expect((await worker(`POST /v1/emitters/${id}/fire`, {})).status).toBe(201);
    const { id: ours } = await made<Emitter>(to, emitter);
    expect(await worker(`POST /v1/emitters/${ours}/fire`, {})).toMatchObject(refused);
    const soon = { cron_schedule: "* * * * *" };
    expect(await worker(`PATCH /v1/emitters/${ours}`, soon)).toMatchObject(refused);
    expect((await worker(`PATCH /v1/emitters/${ours}`, { name: "named anew" })).status).toBe(200);
    expect((await worker(`POST /v1/emitters/${ours}/pause`, {})).status).toBeLessThan(300);
    expect(await worker(`POST /v1/emitters/${ours}/resume`, {})).toMatchObject(refused);
    expect((await worker(`PATCH /v1/emitters/${id}`, soon)).status).toBe(200);
  });
});

describe("a signal that acts on a lane", () => {
  test("does nothing when whoever filed it may no longer do that", async () => {
    const { caller, roleId } = await withRole("leaver", [...operator, "installs.operate"]);
    const queue = await namedQueue("later");
    await made(`POST /v1/queues/${queue}/pause`, {});
    const file = `POST /v1/queues/${queue}/signals`;
    const flush = { type: "flush", signal: { queue_id: lane.queue_id } };
    const first = (await caller<QueueSignal>(file, flush)).body.id;
    const policies = [{ name: "all", permissions: operator }];
    expect((await org.api(`PATCH /v1/roles/${roleId}`, { policies })).status).toBe(200);
    await made(`POST /v1/queues/${queue}/resume`, {});
    await until(async () => (await statusOf(first)) === "dead");
    const { body } = await org.api<QueueSignal>(`GET /v1/signals/${first}`);
    expect(body.status.status_human_description).toContain("installs.operate");
    expect(await statusOf(lane.signal_id)).toBe("queued");
    const second = (await org.api<QueueSignal>(file, flush)).body.id;
    await until(async () => (await statusOf(second)) === "finished");
    expect(await statusOf(lane.signal_id)).toBe("cancelled");
  });
});
