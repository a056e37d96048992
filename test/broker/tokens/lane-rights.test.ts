import { describe, expect, test } from "vitest";
import type { Queue } from "../../../shared/api/queue.ts";
import type { Runner } from "../../../shared/api/runner.ts";
import { queueActs } from "../../../shared/queue-acts.ts";
import { endpoints } from "../../support/broker/route-rules.ts";
import { cookieOf } from "../../support/browser/given-dashboard.ts";
import { givenJob, givenRunner } from "../../support/rows/given.ts";
import type { CallAs } from "../../support/tokens/given-bound-tokens.ts";
import { givenLanes, operator, type Place } from "../../support/tokens/given-lanes.ts";

const { call, db, org, own, api, unbound, worker, made, laneOf, statusOf, withRole, ...places } =
  await givenLanes();
const { lane, foreign, byHand } = places;
const refused = { status: 403, body: { code: "permission_missing" } };
const notBound = { status: 403, body: { code: "bound_only" } };

const actions = endpoints.flatMap((route) => {
  const named = /\{(queue_id|emitter_id|signal_id)\}/.test(route.path);
  const { act } = route.rule;
  return named && act !== undefined ? [{ ...route, act, name: route.operationId }] : [];
});

/** What the route is called for the things of a place; no query of it is known, so that nothing is done by who is let in. */
const at = ({ method, path }: (typeof actions)[number], place: Place): string =>
  `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, (_, name: keyof Place) => place[name])}?surprise=1`;

test("every act is one of some route that names a queue, a signal or an emitter", () => {
  expect(new Set(actions.map(({ act }) => act))).toEqual(new Set(Object.keys(queueActs)));
});

describe.each(actions)("$name", (route) => {
  test("asks in a lane what the lane's install asks, whoever operates queues", async () => {
    expect(await worker(at(route, lane))).toMatchObject(refused);
    expect((await worker(at(route, byHand))).status).toBe(422);
    expect((await org.api(at(route, lane))).status).toBe(422);
  });

  test("is for bound tokens in the lanes of their own installs, if it files nothing there", async () => {
    const isOpen = "isBound" in queueActs[route.act];
    expect(await api(at(route, lane))).toMatchObject(isOpen ? { status: 422 } : notBound);
    for (const place of [foreign, byHand])
      expect(await api(at(route, place))).toMatchObject(isOpen ? { status: 404 } : notBound);
  });
});

describe("a workflow that waits in a lane", () => {
  test("is ended by nobody who may not cancel it", async () => {
    const changes = await laneOf(own.installId, "changes");
    await made(`POST /v1/queues/${changes}/pause`, {});
    const begun = await made<{ workflow_id: string }>(
      `POST /v1/installs/${own.installId}/reprovision`,
      {},
    );
    const { body } = await org.api<Queue>(`GET /v1/queues/${changes}`);
    const place = body.queue_signal[0]?.id ?? "";
    const { caller } = await withRole("operator", operator);
    for (const what of [
      `POST /v1/signals/${place}/cancel`,
      `POST /v1/queues/${changes}/purge`,
      `POST /v1/queues/${changes}/resume`,
      `PATCH /v1/queues/${changes}`,
    ])
      expect(await caller(what, {})).toMatchObject(refused);
    expect(await statusOf(place)).toBe("queued");
    expect((await api(`POST /v1/queues/${changes}/purge`, {})).body).toMatchObject({ purged: 1 });
    await org.reach(begun.workflow_id, "cancelled");
    await made(`POST /v1/queues/${changes}/resume`, {});
  });
});

describe("lists", () => {
  test("leave out lanes, and emitters in them, for who may not read installs", async () => {
    const ids = async (what: string, caller: CallAs = org.api) =>
      (await caller<{ items: { id: string }[] }>(what)).body.items.map(({ id }) => id);
    const [queues, emitters] = ["GET /v1/queues?limit=100", "GET /v1/emitters?limit=100"];
    expect(await ids(queues)).toEqual(expect.arrayContaining([lane.queue_id, byHand.queue_id]));
    expect(await ids(emitters)).toEqual(
      expect.arrayContaining([lane.emitter_id, byHand.emitter_id]),
    );
    expect(await ids(queues, unbound)).toContain(byHand.queue_id);
    expect(await ids(queues, unbound)).not.toContain(lane.queue_id);
    expect(await ids(emitters, unbound)).toContain(byHand.emitter_id);
    expect(await ids(emitters, unbound)).not.toContain(lane.emitter_id);
  });

  test("say whose lane a queue is, whatever owner its maker wrote", async () => {
    const ofOwner = { name: "lookalike", owner_type: "installs", owner_id: own.installId };
    const { id } = await made("POST /v1/queues", ofOwner);
    const laneOfQueue = async (queue: string) =>
      (await org.api<Queue>(`GET /v1/queues/${queue}`)).body.lane_of;
    expect(await laneOfQueue(id)).toBeUndefined();
    expect(await laneOfQueue(lane.queue_id)).toEqual({
      owner_type: "installs",
      owner_id: own.installId,
    });
    expect((await worker(`POST /v1/queues/${id}/pause`, {})).status).toBe(200);
  });
});

describe("pages", () => {
  test("offer of a lane, a runner and its group what its install's operators may do", async () => {
    const { url } = org.brokers[0] ?? { url: "" };
    const ofRunners = ["runners.read", "runners.operate", "jobs.read", "jobs.cancel"] as const;
    const { secret } = await withRole("looker", [...operator, ...ofRunners]);
    const headers = { "user-agent": "node", "sec-fetch-site": "same-origin" };
    const body = new URLSearchParams({ token: secret });
    const entered = await fetch(`${url}/sign-in`, {
      method: "POST",
      body,
      headers,
      redirect: "manual",
    });
    const cookie = cookieOf(entered);
    const read = async (path: string): Promise<string> =>
      await (await fetch(url + path, { headers: { ...headers, cookie } })).text();
    for (const [place, isOffered] of [
      [lane, false],
      [byHand, true],
    ] as const) {
      const queue = await read(`/queues/${place.queue_id}`);
      expect(queue.includes(`/queues/${place.queue_id}/purge`)).toBe(isOffered);
      expect(queue.includes(`/signals/${byHand.signal_id}/cancel`)).toBe(isOffered);
      const emitter = await read(`/emitters/${place.emitter_id}`);
      expect(emitter).toContain("by hand");
      expect(emitter.includes(`/emitters/${place.emitter_id}/fire`)).toBe(isOffered);
    }
    const free = await givenRunner(db, { orgId: org.orgId });
    for (const [runner, isOffered] of [
      [own.runner, false],
      [free, true],
    ] as const) {
      const { runnerId } = runner;
      const jobId = await givenJob(db, runner);
      expect((await read(`/jobs/${jobId}`)).includes(`/jobs/${jobId}/cancel`)).toBe(isOffered);
      const page = await read(`/runners/${runnerId}`);
      for (const act of ["flush", "pause", "restart"])
        expect(page.includes(`/runners/${runnerId}/${act}`)).toBe(isOffered);
      const { runner_group_id: id } = (await org.api<Runner>(`GET /v1/runners/${runnerId}`)).body;
      expect((await read(`/groups/${id}`)).includes(`/groups/${id}/pause`)).toBe(isOffered);
    }
  });
});

test("the answer that a keyed request got is not repeated to who may not ask for it", async () => {
  const headers = { "idempotency-key": "fire-once" };
  const what = `POST /v1/emitters/${lane.emitter_id}/fire`;
  const { caller: _, secret } = await withRole("firer", operator);
  expect((await call(what, { token: org.token, body: {}, headers })).status).toBe(201);
  expect(await call(what, { token: secret, body: {}, headers })).toMatchObject(refused);
});
