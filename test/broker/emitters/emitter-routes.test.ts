import { expect, test } from "vitest";
import type { Emitter } from "../../../shared/api/emitter.ts";
import { givenOperator } from "../../support/broker/given-operator.ts";
import { givenQueue } from "../../support/queues/given-signals.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenOrg } from "../../support/rows/given.ts";

const { db, orgId, call } = await givenOperator("org_admin");

const cron = { name: "nightly", mode: "cron", cron_schedule: "30 2 * * *", signal_type: "work" };

async function setup(members: object = {}) {
  const { queueId } = await givenQueue(db, { orgId });
  const path = `/v1/queues/${queueId}/emitters`;
  const { body: emitter } = await call<Emitter>(`POST ${path}`, { body: { ...cron, ...members } });
  return { queueId, path, emitter, own: `/v1/emitters/${emitter.id}` };
}

test("an emitter has another version after each pause, also one that only changes the note", async () => {
  const { own, emitter } = await setup();
  const versions = [emitter.version];
  for (const body of [{ note: "a" }, { note: "b" }, { note: "b", until: "1h" }])
    versions.push((await call<Emitter>(`POST ${own}/pause`, { body })).body.version);
  versions.push((await call<Emitter>(`POST ${own}/resume`, { body: {} })).body.version);
  expect(versions).toEqual([1, 2, 3, 4, 5]);
});

test("a fire while a live signal has the emitter's dedupe key answers 200 and that signal", async () => {
  const { own } = await setup({ dedupe_key: "one" });
  const fire = async () =>
    await call<{ id: string; deduplicated: boolean }>(`POST ${own}/fire`, { body: {} });
  const [first, second] = [await fire(), await fire()];
  expect([first.status, first.body.deduplicated]).toEqual([201, false]);
  expect([second.status, second.body.deduplicated]).toEqual([200, true]);
  expect(second.body.id).toBe(first.body.id);
});

test("another org's token finds no emitter by any route, and changes none", async () => {
  const { own, path, queueId, emitter } = await setup();
  const token = await givenToken(db, { orgId: await givenOrg(db) });
  for (const what of [
    `GET ${own}`,
    `GET ${own}/next`,
    `PATCH ${own}`,
    `DELETE ${own}`,
    `POST ${own}/pause`,
    `POST ${own}/resume`,
    `POST ${own}/fire`,
  ]) {
    const body = what.startsWith("GET") || what.startsWith("DELETE") ? {} : { body: {} };
    expect([what, await call(what, { token, ...body })]).toMatchObject([
      what,
      { status: 404, body: { code: "emitter_not_found" } },
    ]);
  }
  const noQueue = { status: 404, body: { code: "queue_not_found" } };
  expect(await call(`GET ${path}`, { token })).toMatchObject(noQueue);
  expect(await call(`POST ${path}`, { token, body: cron })).toMatchObject(noQueue);
  for (const query of ["", `?queue_id=${queueId}`, `?name=${emitter.name}`]) {
    const list = await call<{ items: Emitter[] }>(`GET /v1/emitters${query}`, { token });
    expect([query, list.status, list.body.items]).toEqual([query, 200, []]);
  }
  expect((await call<Emitter>(`GET ${own}`)).body).toEqual(emitter);
});
