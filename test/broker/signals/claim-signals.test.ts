import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { givenPolling, type Polling, until } from "../../support/broker/given-polling.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { expectSoundSignals } from "../../support/queues/expect-sound-signals.ts";
import { givenSignal, signalStatus } from "../../support/queues/given-signals.ts";
import { givenWorkers, parkedClaims, wakeClaims } from "../../support/queues/given-workers.ts";
import { claimOne, httpWorker } from "../../support/queues/http-worker.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenOrg } from "../../support/rows/given.ts";

let at: Polling;
beforeAll(async () => {
  at = await givenPolling();
});
afterEach(async () => {
  await expectSoundSignals(at.db);
});

const secret = (members: object) => ({
  contents: Buffer.from(JSON.stringify(members)).toString("base64"),
});

describe("a claim", () => {
  test("gets what waits, with its data and a lease of thirty seconds", async () => {
    const { queue, here } = await givenWorkers(at);
    const id = await givenSignal(at.db, queue, {
      type: "deploy",
      owner_id: "own_1",
      dedupe_key: "k",
      ...secret({ a: [1, "zwei"] }),
    });
    const claimed = await claimOne(here);
    expect(claimed).toMatchObject({
      id,
      queue_id: queue.queueId,
      type: "deploy",
      owner_id: "own_1",
      signal: { a: [1, "zwei"] },
      dedupe_key: "k",
      execution_count: 1,
      cause: null,
    });
    const [row] = await at.db<{ s: number }[]>`
      select extract(epoch from ${claimed.lease_until}::timestamptz - svc_now())::float8 as s`;
    expect(row?.s).toBeGreaterThan(5);
    expect(row?.s).toBeLessThanOrEqual(30);
  });

  test("that asks for several gets them in the order of the queue", async () => {
    const { queue, here } = await givenWorkers(at, { maxInFlight: 10 });
    const ids = [];
    for (let nth = 0; nth < 5; nth += 1) ids.push(await givenSignal(at.db, queue));
    const answer = await here.claim({ max: 4 });
    expect(answer.body.signals.map(({ id }) => id)).toEqual(ids.slice(0, 4));
  });

  test("that need not wait is answered empty where there is nothing", async () => {
    const { here } = await givenWorkers(at);
    expect(await here.claim({ wait: 0 })).toMatchObject({ status: 200, body: { signals: [] } });
  });

  test("is woken where it is parked, by whoever knows of a signal", async () => {
    const { queue, there } = await givenWorkers(at);
    const waiting = claimOne(there);
    await until(() => parkedClaims(at, 1, queue) === 1);
    const id = await givenSignal(at.db, queue);
    wakeClaims(at, queue);
    expect((await waiting).id).toBe(id);
  });

  test("is found by the scan when nothing wakes it", async () => {
    const { queue, there } = await givenWorkers(at);
    const waiting = claimOne(there);
    await until(() => parkedClaims(at, 1, queue) === 1);
    const id = await givenSignal(at.db, queue);
    expect((await waiting).id).toBe(id);
  });

  test("gets the next signal as soon as another worker's end frees the place", async () => {
    const { queue, here, there } = await givenWorkers(at);
    await givenSignal(at.db, queue);
    const next = await givenSignal(at.db, queue);
    const first = await claimOne(here);
    const waiting = claimOne(there);
    await until(() => parkedClaims(at, 1, queue) === 1);
    expect((await here.report("complete", first)).body.status).toBe("finished");
    expect((await waiting).id).toBe(next);
  });

  test("with a claim_id gets the same signals again while they are leased, here and elsewhere", async () => {
    const { queue, here, there } = await givenWorkers(at, { maxInFlight: 5 });
    for (let nth = 0; nth < 3; nth += 1) await givenSignal(at.db, queue);
    const first = (await here.claim({ claim_id: "c1", max: 2 })).body.signals;
    const again = (await there.claim({ claim_id: "c1", max: 2 })).body.signals;
    const which = (signals: typeof first) => signals.map(({ id, lease_id }) => [id, lease_id]);
    expect(which(again)).toEqual(which(first));
    expect(again[0]?.execution_count).toBe(1);
    expect((await here.claim({ claim_id: "c2", max: 2 })).body.signals).toHaveLength(1);
  });

  test("with a claim_id gets them again also behind others that wait", async () => {
    const { queue, here } = await givenWorkers(at);
    await givenSignal(at.db, queue);
    const first = await claimOne(here, { claim_id: "c1" });
    const others = [here.claim({ wait: "10s" }), here.claim({ wait: "10s" })];
    await until(() => parkedClaims(at, 0, queue) === 2);
    expect((await claimOne(here, { claim_id: "c1" })).lease_id).toBe(first.lease_id);
    await here.report("complete", first);
    await givenSignal(at.db, queue);
    await givenSignal(at.db, queue);
    wakeClaims(at, queue);
    const [one] = await Promise.race(others.map(async (other) => (await other).body.signals));
    if (one === undefined) throw new Error("nobody got the next");
    await here.report("complete", one);
    await Promise.all(others);
  });

  test("ends an older one with the same claim_id", async () => {
    const { queue, here } = await givenWorkers(at);
    const older = here.claim({ claim_id: "c1" });
    await until(() => parkedClaims(at, 0, queue) === 1);
    const newer = here.claim({ claim_id: "c1" });
    expect((await older).body.signals).toEqual([]);
    const id = await givenSignal(at.db, queue);
    wakeClaims(at, queue);
    expect((await newer).body.signals).toMatchObject([{ id }]);
  });

  test("of whom it is the turn first gets the signal, not one that came later", async () => {
    const { queue, here } = await givenWorkers(at);
    const first = here.claim({ worker: "first" });
    await until(() => parkedClaims(at, 0, queue) === 1);
    const second = here.claim({ worker: "second", wait: "1s" });
    await until(() => parkedClaims(at, 0, queue) === 2);
    const id = await givenSignal(at.db, queue);
    wakeClaims(at, queue);
    expect((await first).body.signals).toMatchObject([{ id }]);
    expect((await second).body.signals).toEqual([]);
  });

  test("never gets a signal that has expired, swept or not", async () => {
    const { queue, here } = await givenWorkers(at, { maxInFlight: 3 });
    const gone = await givenSignal(at.db, queue, { expires_in: 3_000_000_000 });
    const id = await givenSignal(at.db, queue);
    await advanceClock(at.db, "4 s");
    expect((await here.claim({ max: 3 })).body.signals).toMatchObject([{ id }]);
    await until(async () => (await signalStatus(at.db, gone)) === "expired");
  });

  test("leaves a neighbour's signals alone: another org's queue does not exist for it", async () => {
    const { queue, here } = await givenWorkers(at);
    await givenSignal(at.db, queue);
    const token = await givenToken(at.db, { orgId: await givenOrg(at.db) });
    const stranger = httpWorker(at.brokers[0].url, { ...queue, token });
    expect(await stranger.claim()).toMatchObject({
      status: 404,
      body: { code: "queue_not_found" },
    });
    expect((await here.claim()).body.signals).toHaveLength(1);
    expect((await stranger.claim()).status).toBe(404);
  });

  test.each([
    [{ max: 101 }, "#/max"],
    [{ max: 0 }, "#/max"],
    [{ lease: "2h" }, "#/lease"],
    [{ lease: "1s" }, "#/lease"],
    [{ claim_id: "" }, "#/claim_id"],
    [{ wait: "soon" }, "#/wait"],
    [{ many: 1 }, "#/many"],
  ])("refuses %j with the field", async (body, pointer) => {
    const { here } = await givenWorkers(at);
    expect(await here.claim(body)).toMatchObject({ status: 422, body: { errors: [{ pointer }] } });
  });
});
