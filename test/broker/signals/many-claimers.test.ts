import { afterEach, beforeAll, expect, test } from "vitest";
import { givenPolling, type Polling, until } from "../../support/broker/given-polling.ts";
import { rawRequest } from "../../support/network/raw-request.ts";
import { expectSoundSignals } from "../../support/queues/expect-sound-signals.ts";
import { aSignal, fileSignals, givenSignal } from "../../support/queues/given-signals.ts";
import { givenWorkers, parkedClaims, wakeClaims } from "../../support/queues/given-workers.ts";
import { claimOne } from "../../support/queues/http-worker.ts";

let at: Polling;
beforeAll(async () => {
  at = await givenPolling();
});
afterEach(async () => {
  await expectSoundSignals(at.db);
});

/** Twenty workers at two brokers, until so many signals are done; answers their order and how many were held at once. */
async function workOff({ here, there }: Awaited<ReturnType<typeof givenWorkers>>, count: number) {
  const done: string[] = [];
  let [held, most] = [0, 0];
  const work = async (nth: number): Promise<void> => {
    const worker = nth % 2 === 0 ? here : there;
    while (done.length < count) {
      const [signal] = (await worker.claim({ claim_id: crypto.randomUUID(), wait: "1s" })).body
        .signals;
      if (signal === undefined) continue;
      held += 1;
      most = Math.max(most, held);
      await new Promise((resolve) => setImmediate(resolve));
      held -= 1;
      done.push(signal.id);
      expect((await worker.report("complete", signal)).body.status).toBe("finished");
    }
  };
  await Promise.all(Array.from({ length: 20 }, (_, nth) => work(nth)));
  return { done, most };
}

test("of a queue with three places twenty claimers at two brokers never hold more, and each signal once", async () => {
  const workers = await givenWorkers(at, { maxInFlight: 3 });
  const signals = Array.from({ length: 60 }, (_, nth) =>
    aSignal(workers.queue, { request: nth + 1 }),
  );
  await fileSignals(at.db, signals);
  const { done, most } = await workOff(workers, signals.length);
  expect(done.toSorted()).toEqual(signals.map(({ id }) => id).toSorted());
  expect(most).toBeLessThanOrEqual(3);
});

test("of a queue with one place twenty claimers at two brokers get the signals in their order", async () => {
  const workers = await givenWorkers(at);
  const signals = Array.from({ length: 30 }, (_, nth) =>
    aSignal(workers.queue, { request: nth + 1 }),
  );
  const filed = await fileSignals(at.db, signals);
  const { done, most } = await workOff(workers, signals.length);
  expect(done).toEqual(filed.map(({ id }) => id));
  expect(most).toBe(1);
});

test("a claim whose client is gone leaves at once, and the next one gets the signal", async () => {
  const { queue, token, here } = await givenWorkers(at);
  const socket = await rawRequest(
    at.brokers[0].url,
    `POST /v1/queues/${queue.queueId}/signals/claim`,
    { token, body: {} },
  );
  await until(() => parkedClaims(at, 0, queue) === 1);
  socket.destroy();
  await until(() => parkedClaims(at, 0, queue) === 0);
  const id = await givenSignal(at.db, queue);
  expect(await claimOne(here)).toMatchObject({ id, execution_count: 1 });
});

test("a signal that was claimed for a client that has gone is given back, and its execution not counted", async () => {
  const { queue, here } = await givenWorkers(at);
  const id = await givenSignal(at.db, queue);
  const claims = at.brokers[0].broker.signalClaims;
  const lease = await claimOne(here);
  claims.giveBack([rowOf(lease, queue.orgId)]);
  expect(await claimOne(here)).toMatchObject({ id, execution_count: 1 });
});

test("a signal that a repeated claim has got is not given back for the first one", async () => {
  const { queue, here, there } = await givenWorkers(at);
  await givenSignal(at.db, queue);
  const first = await claimOne(here, { claim_id: "c1" });
  const again = await claimOne(there, { claim_id: "c1" });
  at.brokers[0].broker.signalClaims.giveBack([rowOf(first, queue.orgId)]);
  expect(await here.report("complete", again)).toMatchObject({ body: { status: "finished" } });
});

/** As the broker has it that claimed it. */
function rowOf({ id, lease_id, lease_until }: Awaited<ReturnType<typeof claimOne>>, orgId: string) {
  const row = { id, org_id: orgId, lease_id, lease_until: new Date(lease_until), repeated: false };
  return { row, signal: "{}", causeResult: null } as never; // what giving back reads of it
}

test("a neighbour with a thousand parked claims keeps nobody from the next signal", async () => {
  const neighbour = await givenWorkers(at);
  const aborted = new AbortController();
  const crowd = Array.from({ length: 1_000 }, () =>
    fetch(`${at.brokers[0].url}/v1/queues/${neighbour.queue.queueId}/signals/claim`, {
      method: "POST",
      headers: { authorization: `Bearer ${neighbour.token}`, "content-type": "application/json" },
      body: JSON.stringify({ claim_id: crypto.randomUUID() }),
      signal: aborted.signal,
    }).catch(() => undefined),
  );
  await until(() => parkedClaims(at, 0, neighbour.queue) === 1_000);
  const { queue, here } = await givenWorkers(at);
  const waiting = claimOne(here);
  await until(() => parkedClaims(at, 0, queue) === 1);
  const id = await givenSignal(at.db, queue);
  wakeClaims(at, neighbour.queue);
  wakeClaims(at, queue);
  expect((await waiting).id).toBe(id);
  aborted.abort();
  await Promise.all(crowd);
  await until(() => parkedClaims(at, 0, neighbour.queue) === 0);
});
