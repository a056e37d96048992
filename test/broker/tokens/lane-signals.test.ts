import { describe, expect, test } from "vitest";
import type { Emitter } from "../../../shared/api/emitter.ts";
import type { Queue } from "../../../shared/api/queue.ts";
import type { QueueSignal } from "../../../shared/api/signal.ts";
import { queueActs } from "../../../shared/queue-acts.ts";
import { until } from "../../support/broker/given-polling.ts";
import { givenJob, givenRunner } from "../../support/rows/given.ts";
import { givenLanes, operator } from "../../support/tokens/given-lanes.ts";

const { api, db, org, own, worker, made, namedQueue, deadIn, statusOf, withRole, lane, byHand } =
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
    callback: {
      on: ["finished"],
      signal: { queue_id: lane.queue_id, type: "noop", signal: {} },
    },
  },
  "a callback that flushes a lane": {
    type: "noop",
    callbacks: [
      {
        on: ["finished"],
        signal: { queue_id: byHand.queue_id, type: "flush", signal: { queue_id: lane.queue_id } },
      },
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

/** Signals that nobody has act again by hand without the permissions that filing them asks. */
const typed = {
  "a job": { type: "runner-job", signal: { type: "noop-deploy", plan: {} } },
  "an HTTP call": { type: "http-call", signal: { url: "http://127.0.0.1:9/" } },
};

describe.each(Object.entries(acting))("%s", (_, signal) => {
  test("is redriven by who may do that by hand", async () => {
    const queue = await namedQueue(`of ${crypto.randomUUID()}`);
    const [id, idle] = [await deadIn(queue, signal), await deadIn(queue, { type: "noop" })];
    expect(await worker(`POST /v1/signals/${id}/redrive`, {})).toMatchObject(refused);
    const many = `POST /v1/queues/${queue}/signals/redrive`;
    const named = await worker(many, { signal_ids: [id] });
    const signals = [{ signal_id: id, outcome: "forbidden" }];
    const none = { redriven: 0, forbidden: 1, signals, has_more: true };
    expect(named).toMatchObject({ status: 200, body: none });
    const all = { redriven: 1, forbidden: 1, signals: [], has_more: false };
    expect((await worker(many, {})).body).toEqual(all);
    expect([await statusOf(id), await statusOf(idle)]).toEqual(["dead", "queued"]);
    expect((await worker(many, {})).body).toEqual({ ...all, redriven: 0 });
    expect((await org.api(many, {})).body).toEqual({ ...all, forbidden: 0 });
    expect(await statusOf(id)).toBe("queued");
  });
});

test("another's job for an install's runner is made again by nobody who may not operate installs", async () => {
  const runner = own.runner.runnerId;
  const queue = await namedQueue("jobs of the install");
  const job = { type: "noop-deploy", plan: {}, runner_id: runner };
  const id = await deadIn(queue, { type: "runner-job", signal: job });
  expect(await worker(`POST /v1/signals/${id}/redrive`, {})).toMatchObject(refused);
  await made(`POST /v1/queues/${queue}/resume`, {});
  const all = await worker(`POST /v1/queues/${queue}/signals/redrive`, {});
  expect(all.body).toMatchObject({ redriven: 0, forbidden: 1 });
  expect(await statusOf(id)).toBe("dead");
  expect((await org.api(`POST /v1/signals/${id}/redrive`, {})).status).toBe(200);
  const jobs = () =>
    db`select from runner_jobs where runner_id = ${runner} and metadata->>'signal_id' = ${id}`;
  await until(async () => (await jobs()).length === 1);
});

test("a job and an HTTP call are redriven and fired by who may file them, and by no bound token", async () => {
  const { runnerId } = await givenRunner(db, { orgId: org.orgId });
  const { caller: lacking } = await withRole("redriver", operator);
  const queue = await namedQueue("of types");
  for (const { type, signal } of Object.values(typed)) {
    const whole = { ...signal, ...(type === "runner-job" && { runner_id: runnerId }) };
    const id = await deadIn(queue, { type, signal: whole });
    expect(await lacking(`POST /v1/signals/${id}/redrive`, {})).toMatchObject(refused);
    expect((await worker(`POST /v1/signals/${id}/redrive`, {})).status).toBe(200);
    const schedule = { name: type, mode: "cron", cron_schedule: "0 3 1 1 *" };
    const emitter = { ...schedule, signal_type: type, signal_template: whole };
    const { id: emitterId } = await made<Emitter>(`POST /v1/queues/${queue}/emitters`, emitter);
    expect(await lacking(`POST /v1/emitters/${emitterId}/fire`, {})).toMatchObject(refused);
    expect((await worker(`POST /v1/emitters/${emitterId}/fire`, {})).status).toBe(201);
  }
  const inLane = await deadIn(lane.queue_id, { type: "noop" });
  const notBound = { status: 403, body: { code: "bound_only" } };
  expect(await api(`POST /v1/signals/${inLane}/redrive`, {})).toMatchObject(notBound);
});

/** Each act that has signals act: of a flush of a lane, by whoever may not flush it. */
const having: Readonly<
  Record<string, (given: { queue: string; dead: string; emitter: string }) => [string, object]>
> = {
  enqueue: ({ queue }) => [`POST /v1/queues/${queue}/signals`, flushing],
  redrive: ({ dead }) => [`POST /v1/signals/${dead}/redrive`, {}],
  "create-emitter": ({ queue }) => [`POST /v1/queues/${queue}/emitters`, flushes("another")],
  "update-emitter": ({ emitter }) => [`PATCH /v1/emitters/${emitter}`, { retry_delay: "2m" }],
  "pause-emitter": ({ emitter }) => [`POST /v1/emitters/${emitter}/pause`, { until: "1s" }],
  "resume-emitter": ({ emitter }) => [`POST /v1/emitters/${emitter}/resume`, {}],
  "fire-emitter": ({ emitter }) => [`POST /v1/emitters/${emitter}/fire`, {}],
};
const flushing = { type: "flush", signal: { queue_id: lane.queue_id } };
const flushes = (name: string) => ({
  name,
  mode: "cron",
  cron_schedule: "0 3 1 1 *",
  signal_type: flushing.type,
  signal_template: flushing.signal,
});

test("every act that has signals act asks what they do, and no other has any act", async () => {
  const asking = Object.entries(queueActs).flatMap(([act, row]) =>
    "asksDeeds" in row ? [act] : [],
  );
  expect(asking.toSorted()).toEqual(Object.keys(having).toSorted());
  const queue = await namedQueue("of each act");
  const dead = await deadIn(queue, flushing);
  const { id: emitter } = await made<Emitter>(`POST /v1/queues/${queue}/emitters`, flushes("one"));
  await made(`POST /v1/emitters/${emitter}/pause`, {});
  for (const of of Object.values(having)) {
    expect(await worker(...of({ queue, dead, emitter }))).toMatchObject(refused);
  }
  for (const act of ["redrive", "pause-emitter", "resume-emitter", "fire-emitter"]) {
    const [what, body] = having[act]?.({ queue, dead, emitter }) ?? ["", {}];
    expect((await org.api(what, body)).status).toBeLessThan(300);
  }
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
    const start = { type: "emitter-start", signal: { emitter_id: ours } };
    expect(await worker(`POST /v1/queues/${queue}/signals`, start)).toMatchObject(refused);
    const later = { ...schedule, name: "later", signal_type: "emitter-start" };
    const starting = { ...later, signal_template: start.signal };
    expect(await worker(to, starting)).toMatchObject(refused);
    const { id: startId } = await made<Emitter>(to, starting);
    expect(await worker(`POST /v1/emitters/${startId}/fire`, {})).toMatchObject(refused);
    for (const often of [{ max_executions: 9 }, { overlap_policy: "allow" }])
      expect(await worker(`PATCH /v1/emitters/${ours}`, often)).toMatchObject(refused);
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
