import { describe, expect, test } from "vitest";
import type { Queue } from "../../../shared/api/queue.ts";
import { givenOperator } from "../../support/broker/given-operator.ts";
import { givenQueue, givenSignal } from "../../support/queues/given-signals.ts";
import type { Refusal } from "../../support/queues/signals-api.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenOrg } from "../../support/rows/given.ts";

const { db, call, orgId } = await givenOperator("org_admin", {
  env: { SVC_MAX_QUEUES_PER_ORG: "25" },
});
let named = 0;

const create = async (members: object = {}): Promise<Queue> => {
  const answer = await call<Queue>("POST /v1/queues", {
    body: { name: `queue ${++named}`, ...members },
  });
  expect(answer.status).toBe(201);
  return answer.body;
};

describe("a queue", () => {
  test("is created with every field, and read again", async () => {
    const body = {
      name: "installs",
      owner_id: "ins_1",
      owner_type: "install",
      max_depth: 5,
      max_in_flight: 3,
      idle_timeout: "15m",
      metadata: { team: "blue" },
    };
    const made = await create(body);
    expect(made).toMatchObject({
      ...body,
      org_id: orgId,
      idle_timeout: 900_000_000_000,
      status_v2: { status: "active" },
      emitters: [],
      queue_signal: [],
      depth: 0,
      delayed: 0,
      in_flight: 0,
      oldest_at: null,
      paused: false,
      paused_until: null,
      version: 1,
    });
    const read = await call<Queue>(`GET /v1/queues/${made.id}`);
    expect(read).toMatchObject({ status: 200, body: made });
    expect(read.headers.get("etag")).toBe('"1"');
  });

  test("has defaults", async () => {
    expect(await create()).toMatchObject({
      max_depth: 10_000,
      max_in_flight: 1,
      idle_timeout: 3_600_000_000_000,
      owner_id: "",
      owner_type: "",
      metadata: {},
    });
  });

  test("has a name of its own for its owner", async () => {
    const owner = { owner_id: "app_1", owner_type: "app" };
    await create({ name: "same", ...owner });
    const again = await call("POST /v1/queues", { body: { name: "same", ...owner } });
    expect(again).toMatchObject({ status: 409, body: { code: "name_taken" } });
    await create({ name: "same", owner_id: "app_2", owner_type: "app" });
  });

  test.each([
    [{ max_depth: 0 }, "#/max_depth"],
    [{ max_depth: 1_000_001 }, "#/max_depth"],
    [{ max_in_flight: 0 }, "#/max_in_flight"],
    [{ max_in_flight: 1_001 }, "#/max_in_flight"],
    [{ idle_timeout: "31d" }, "#/idle_timeout"],
    [{ idle_timeout: -1 }, "#/idle_timeout"],
    [{ name: " " }, "#/name"],
    [{ metadata: { a: 1 } }, "#/metadata/a"],
    [{ owner_id: "x".repeat(256) }, "#/owner_id"],
    [{ emitters: [] }, "#/emitters"],
  ])("is refused with %j", async (members, pointer) => {
    const refused = await call<Refusal>("POST /v1/queues", { body: { name: "no", ...members } });
    expect(refused.status).toBe(422);
    expect(refused.body.errors.map((error) => error.pointer)).toEqual([pointer]);
  });

  test("is changed under its version", async () => {
    const { id } = await create();
    const changes = {
      name: "renamed",
      max_depth: 7,
      max_in_flight: 2,
      idle_timeout: 0,
      metadata: { a: "b" },
    };
    const changed = await call<Queue>(`PATCH /v1/queues/${id}`, {
      body: changes,
      headers: { "if-match": '"1"' },
    });
    expect(changed).toMatchObject({ status: 200, body: { ...changes, version: 2 } });
    const stale = await call(`PATCH /v1/queues/${id}`, {
      body: { max_depth: 8 },
      headers: { "if-match": '"1"' },
    });
    expect(stale.status).toBe(412);
    const other = await create();
    const taken = await call(`PATCH /v1/queues/${other.id}`, { body: { name: "renamed" } });
    expect(taken).toMatchObject({ status: 409, body: { code: "name_taken" } });
  });

  test("has another version after each pause, also one that only changes the note", async () => {
    const { id } = await create();
    const versions = [];
    for (const note of ["a", "b", "b"])
      versions.push((await call<Queue>(`POST /v1/queues/${id}/pause`, { body: { note } })).body);
    versions.push((await call<Queue>(`POST /v1/queues/${id}/resume`, { body: {} })).body);
    expect(versions.map(({ version }) => version)).toEqual([2, 3, 4, 5]);
  });

  test("is deleted only when nothing is in it", async () => {
    const { id } = await create();
    const queue = { orgId, queueId: id };
    await givenSignal(db, queue);
    const full = await call(`DELETE /v1/queues/${id}`);
    expect(full).toMatchObject({ status: 409, body: { code: "queue_not_empty" } });
    await call(`POST /v1/queues/${id}/purge`, { body: {} });
    expect((await call(`DELETE /v1/queues/${id}`)).status).toBe(204);
    expect((await call(`DELETE /v1/queues/${id}`)).status).toBe(404);
    expect((await call(`GET /v1/queues/${id}`)).status).toBe(404);
    const gone = await call(`POST /v1/queues/${id}/signals`, { body: { type: "work" } });
    expect(gone).toMatchObject({ status: 404, body: { code: "queue_not_found" } });
  });

  test("of another org does not exist", async () => {
    const { id } = await create();
    const token = await givenToken(db, { orgId: await givenOrg(db) });
    for (const what of [
      `GET /v1/queues/${id}`,
      `GET /v1/queues/${id}/status`,
      `PATCH /v1/queues/${id}`,
      `DELETE /v1/queues/${id}`,
      `POST /v1/queues/${id}/pause`,
      `POST /v1/queues/${id}/resume`,
      `POST /v1/queues/${id}/purge`,
      `GET /v1/queues/${id}/signals`,
      `POST /v1/queues/${id}/signals/redrive`,
    ]) {
      const body = what.startsWith("GET") || what.startsWith("DELETE") ? {} : { body: {} };
      expect(await call(what, { token, ...body })).toMatchObject({
        status: 404,
        body: { code: "queue_not_found" },
      });
    }
    const enqueued = await call(`POST /v1/queues/${id}/signals`, { token, body: { type: "work" } });
    expect(enqueued).toMatchObject({ status: 404, body: { code: "queue_not_found" } });
  });
});

test("an org has at most so many queues", async () => {
  const other = await givenOrg(db);
  const token = await givenToken(db, { orgId: other });
  for (let at = 0; at < 25; at++) await givenQueue(db, { orgId: other });
  const refused = await call("POST /v1/queues", { token, body: { name: "one more" } });
  expect(refused).toMatchObject({
    status: 429,
    body: { code: "limit_reached", limit: "queues_of_org" },
  });
  expect(String(refused.body["detail"])).toContain("SVC_MAX_QUEUES_PER_ORG");
});
