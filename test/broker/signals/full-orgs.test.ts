import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { emitDue } from "../../../broker/emitters/emit-due.ts";
import type { OrgId } from "../../../broker/orgs/org-id.ts";
import { markFullOrgs } from "../../../broker/queues/mark-full-orgs.ts";
import { startBroker } from "../../support/broker/broker.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";
import { emittedBy, givenScheduled } from "../../support/queues/emitting.ts";
import { expectSoundSignals } from "../../support/queues/expect-sound-signals.ts";
import { emitterOf } from "../../support/queues/given-emitters.ts";
import {
  aFollowUp,
  aSignal,
  claimSignals,
  fileSignals,
  type GivenQueue,
  givenQueue,
  givenSignal,
  queueOf,
  reportSignal,
} from "../../support/queues/given-signals.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenOrg } from "../../support/rows/given.ts";

const mostMib = 1;
const env = { SVC_SIGNALS_ORG_MIB: String(mostMib) };
const { db, url } = await testDatabase();
const { broker, call } = await startBroker({ url, env });

let orgId: OrgId;
let token: string;
let queues: readonly GivenQueue[];
beforeEach(async () => {
  orgId = await givenOrg(db);
  token = await givenToken(db, { orgId });
  queues = [await givenQueue(db, { orgId }), await givenQueue(db, { orgId })];
});
afterEach(() => expectSoundSignals(db));

const enqueue = (queue: GivenQueue | undefined, as = token, what = "") =>
  call<{ code?: string }>(`POST /v1/queues/${queue?.queueId}/signals${what}`, {
    token: as,
    body: what === "" ? { type: "work" } : { signals: [{ type: "work" }, { type: "work" }] },
  });

const mebibyte = 1024 ** 2;
const fill = async (queue: GivenQueue | undefined, bytes: number): Promise<string> => {
  if (queue === undefined) throw new Error("there is no queue");
  return await givenSignal(db, queue, { contents: Buffer.alloc(bytes, 1).toString("base64") });
};

/** The org holds more than it may, over two queues of which each holds less. */
async function givenFull(): Promise<void> {
  for (const queue of queues) await fill(queue, 0.6 * mebibyte);
  await markFullOrgs(db, mostMib);
}

const refused = { status: 429, body: { code: "org_queues_full" } };

describe("an org whose queues hold more than it may", () => {
  test("is told to come again, by every queue of it, also a new one, and its neighbour is not", async () => {
    for (const queue of queues) await fill(queue, 0.6 * mebibyte);
    expect((await enqueue(queues[0])).status).toBe(201);
    await markFullOrgs(db, mostMib);
    const answer = await enqueue(queues[0]);
    expect(answer).toMatchObject(refused);
    expect(answer.headers.get("retry-after")).toBe("10");
    expect(await enqueue(queues[1], token, "/batch")).toMatchObject(refused);
    expect(await enqueue(await givenQueue(db, { orgId }))).toMatchObject(refused);
    const neighbour = await givenQueue(db);
    const theirs = await givenToken(db, neighbour);
    expect((await enqueue(neighbour, theirs)).status).toBe(201);
    expect((await enqueue(neighbour, theirs, "/batch")).status).toBe(201);
  });

  test("may enqueue again once signals have ended", async () => {
    await givenFull();
    expect(await enqueue(queues[0])).toMatchObject(refused);
    await call(`POST /v1/queues/${queues[1]?.queueId}/purge`, { token, body: {} });
    await markFullOrgs(db, mostMib);
    expect((await enqueue(queues[0])).status).toBe(201);
  });

  test("gets the live signal of a dedupe key, and the answer of an idempotency key, as ever", async () => {
    const [queue] = queues;
    const file = (dedupe_key: string, key: string) =>
      call<{ id: string }>(`POST /v1/queues/${queue?.queueId}/signals`, {
        token,
        body: { type: "work", dedupe_key },
        headers: { "idempotency-key": key },
      });
    const first = await file("a", "1");
    await givenFull();
    expect((await file("a", "1")).body.id).toBe(first.body.id);
    expect((await file("a", "2")).body.id).toBe(first.body.id);
    expect(await file("b", "3")).toMatchObject(refused);
  });

  test("cannot redrive or fire, and its workers go on", async () => {
    const [queue] = queues;
    if (queue === undefined) throw new Error("there is no queue");
    const dead = await givenSignal(db, queue);
    const [claimed] = await claimSignals(db, queue);
    if (claimed !== undefined) await reportSignal(db, queue, claimed, "give-up");
    const emitter = await call<{ id: string }>(`POST /v1/queues/${queue.queueId}/emitters`, {
      token,
      body: { mode: "cron", cron_schedule: "0 0 1 1 *", signal_type: "work", name: "yearly" },
    });
    await givenFull();
    const redriven = await call(`POST /v1/signals/${dead}/redrive`, { token });
    expect(redriven).toMatchObject(refused);
    const fired = await call(`POST /v1/emitters/${emitter.body.id}/fire`, { token });
    expect(fired).toMatchObject(refused);
    const [next] = await claimSignals(db, queue);
    expect(next !== undefined && (await reportSignal(db, queue, next, "finish"))).toBe("done");
  });

  test("keeps its callbacks and its ticks: a tick waits until there is room", async () => {
    const [queue, target] = queues;
    if (queue === undefined || target === undefined) throw new Error("there are no queues");
    const id = await givenSignal(db, queue, { callbacks: [aFollowUp(target)] });
    const [soon] = await db<{ minute: number }[]>`
      select extract(minute from svc_now() + interval '30 minutes')::int as minute`; // no tick but one within the hour
    const emitterId = await givenScheduled(db, queue, { cron_schedule: `${soon?.minute} * * * *` });
    await givenFull();
    await db`select cancel_signals(${orgId}, ${[id]}, 'not needed')`;
    expect(await queueOf(db, target)).toMatchObject({ waiting: 2 });
    await advanceClock(db, "1 hour");
    await emitDue(broker);
    expect(await emittedBy(db, emitterId)).toEqual([]);
    const { due_at: dueAt, next_tick_at: tick } = await emitterOf(db, emitterId);
    expect(dueAt?.getTime()).toBeGreaterThan(tick?.getTime() ?? 0);
    await markFullOrgs(db, 0);
    await advanceClock(db, "1 minute");
    await emitDue(broker);
    expect(await emittedBy(db, emitterId)).toEqual([tick?.toISOString()]);
  });
});

describe("what an org holds", () => {
  const isFull = async (): Promise<boolean> =>
    (await db`select from full_orgs where org_id = ${orgId}`).length > 0;

  test("is counted with what each signal costs besides its data", async () => {
    const [queue] = queues;
    if (queue === undefined) throw new Error("there is no queue");
    const file = (count: number) =>
      fileSignals(
        db,
        Array.from({ length: count }, () => aSignal(queue)),
      );
    await file(1000);
    await markFullOrgs(db, mostMib);
    expect(await isFull()).toBe(false);
    await db`update queue_counters set max_depth = 2000 where queue_id = ${queue.queueId}`;
    await file(50);
    await markFullOrgs(db, mostMib);
    expect(await isFull()).toBe(true);
    await markFullOrgs(db, 0);
    expect(await isFull()).toBe(false);
  });

  test("is looked at by a broker that runs, and is not written where it is as it was", async () => {
    await fill(queues[0], 1.1 * mebibyte);
    await startBroker({ url, env, hasCron: true });
    await advanceClock(db, "10 s");
    await expect.poll(isFull).toBe(true);
    // The broker may be about to look again.
    const look = async () =>
      await db<{ xid: string | null }[]>`
      select pg_current_xact_id_if_assigned()::text as xid from mark_full_orgs(${mostMib * mebibyte})`;
    await expect.poll(look).toEqual([{ xid: null }]);
  });
});
