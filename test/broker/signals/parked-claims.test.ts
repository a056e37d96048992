import { describe, expect, onTestFinished, test } from "vitest";
import { startBrokerProcess } from "../../support/broker/broker-process.ts";
import { startBroker, type TestBroker } from "../../support/broker/broker.ts";
import { until } from "../../support/broker/given-polling.ts";
import { testDatabase } from "../../support/database/database.ts";
import { rawRequest } from "../../support/network/raw-request.ts";
import { expectSoundSignals } from "../../support/queues/expect-sound-signals.ts";
import {
  type GivenQueue,
  givenQueue,
  givenSignal,
  signalStatus,
} from "../../support/queues/given-signals.ts";
import { claimOne, type HttpWorker, httpWorker } from "../../support/queues/http-worker.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenOrg } from "../../support/rows/given.ts";

const { db, url } = await testDatabase();

/** A worker of a queue of this org, and how many claims of it are parked at the broker. */
async function givenWorker(broker: TestBroker, given: Parameters<typeof givenQueue>[1] = {}) {
  const queue = await givenQueue(db, given);
  const token = await givenToken(db, { orgId: queue.orgId });
  const { parked } = broker.broker.signalClaims.dispatcher;
  const isParked = (count: number) => until(() => parked.countOfQueue(queue.queueId) === count);
  return { ...httpWorker(broker.url, { ...queue, token }), queue, token, isParked };
}

describe("parked claims", () => {
  const env = { SVC_MAX_CLAIMS_PER_QUEUE: "2", SVC_MAX_CLAIMS_PER_ORG: "3" };

  test("are bounded for a queue and for an org, and the refusal says when to come again; another org parks its own", async () => {
    const broker = await startBroker({ url, env });
    onTestFinished(broker.stop);
    const orgId = await givenOrg(db);
    const [first, second, third] = await Promise.all(
      [0, 1, 2].map(() => givenWorker(broker, { orgId })),
    );
    if (!first || !second || !third) throw new Error("three workers were asked for");
    const [plain, older] = [first.claim(), first.claim({ claim_id: "c1" })];
    await first.isParked(2);
    expectLimited(await first.claim(), "claims_of_queue", "SVC_MAX_CLAIMS_PER_QUEUE");
    const elsewhere = second.claim();
    await second.isParked(1);
    expectLimited(await third.claim(), "claims_of_org", "SVC_MAX_CLAIMS_PER_ORG");
    // One that repeats a parked claim takes its place.
    const again = first.claim({ claim_id: "c1" });
    expect(await older).toMatchObject({ status: 200, body: { signals: [] } });
    await first.isParked(2);
    const neighbour = await givenWorker(broker);
    const theirs = neighbour.claim();
    await neighbour.isParked(1);
    for (const { queue } of [first, first, second, neighbour]) {
      await givenSignal(db, queue);
      broker.broker.wakes.notify([`signals:${queue.queueId}`]);
    }
    await claimedOf(first, [plain, again]);
    expect((await elsewhere).body.signals).toHaveLength(1);
    expect((await theirs).body.signals).toHaveLength(1);
    expect((await third.claim({ wait: 0 })).status).toBe(200);
  });

  test("are answered empty when their broker is told to go, and nothing is lost", async () => {
    const broker = await startBrokerProcess(url);
    onTestFinished(broker.kill);
    const queue = await givenQueue(db);
    const token = await givenToken(db, { orgId: queue.orgId });
    const worker = httpWorker(broker.url, { ...queue, token });
    const [done, parked] = [await givenSignal(db, queue), claimOne(worker)];
    expect((await worker.report("complete", await parked)).body.status).toBe("finished");
    const claims = [worker.claim(), worker.claim({ claim_id: "c1" })];
    const listening = await rawRequest(broker.url, claimOf(queue), { token, body: {} });
    await until(async () => (await metricOf(broker.url, "svc_parked_signal_claims")) === 3);
    expect(await broker.terminate()).toBe(0);
    for (const answer of await Promise.all(claims)) {
      expect(answer).toMatchObject({ status: 200, body: { signals: [] } });
      expect(answer.headers.get("connection")).toBe("close");
    }
    listening.destroy();
    expect(await signalStatus(db, done)).toBe("finished");
    await expectSoundSignals(db);
  });

  test("are served although their broker's LISTEN connection was cut, again and again", async () => {
    const [here, there] = [await startBroker({ url }), await startBroker({ url })];
    onTestFinished(here.stop);
    onTestFinished(there.stop);
    const worker = await givenWorker(there, { maxInFlight: 10 });
    const filing = { token: worker.token, body: { type: "work" } };
    for (let round = 0; round < 5; round += 1) {
      const waiting = claimOne(worker);
      await worker.isParked(1);
      // Since the last round both may still be without one: a second after a cut they open it again.
      await until(async () => {
        const cut = await db`
          select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and application_name = 'svc listen'`;
        return cut.length > 0;
      });
      const path = `POST /v1/queues/${worker.queue.queueId}/signals`;
      const filed = await here.call<{ id: string }>(path, filing);
      expect((await waiting).id).toBe(filed.body.id);
    }
    await expectSoundSignals(db);
  });
});

test("a claim repeated while the first answer is on its way has the same lease, which the first one's broken connection does not end", async () => {
  const broker = await startBroker({ url });
  onTestFinished(broker.stop);
  const { queue, token, ...worker } = await givenWorker(broker);
  const id = await givenSignal(db, queue);
  const body = { claim_id: "c1" };
  const socket = await rawRequest(broker.url, claimOf(queue), { token, body });
  socket.pause(); // the answer is never read
  await until(async () => (await signalStatus(db, id)) === "in-flight");
  const [row] = await db<{ lease_id: string }[]>`
    select lease_id from queue_signal_live where id = ${id}`;
  const again = await claimOne(worker, body);
  expect(again).toMatchObject({ id, lease_id: row?.lease_id, execution_count: 1 });
  socket.destroy();
  expect(await worker.report("complete", again)).toMatchObject({ body: { status: "finished" } });
  await expectSoundSignals(db);
});

const claimOf = ({ queueId }: GivenQueue): string => `POST /v1/queues/${queueId}/signals/claim`;

type ClaimAnswer = Awaited<ReturnType<HttpWorker["claim"]>>;

function expectLimited(answer: ClaimAnswer, limit: string, setting: string): void {
  expect(answer).toMatchObject({
    status: 429,
    body: { code: "limit_reached", limit, detail: expect.stringContaining(setting) as string },
  });
  expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
}

/** Two claims of a queue with one place get a signal each, one after the other. */
async function claimedOf(
  worker: HttpWorker,
  claims: readonly Promise<ClaimAnswer>[],
): Promise<void> {
  const first = await Promise.race(claims);
  const [signal] = first.body.signals;
  if (signal === undefined) throw new Error("nothing was claimed");
  expect((await worker.report("complete", signal)).status).toBe(200);
  for (const answer of await Promise.all(claims)) expect(answer.body.signals).toHaveLength(1);
}

/** A figure of a broker that is another process. */
async function metricOf(at: string, name: string): Promise<number | undefined> {
  const text = await (await fetch(`${at}/metrics`)).text();
  const line = text.split("\n").find((one) => one.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
}
