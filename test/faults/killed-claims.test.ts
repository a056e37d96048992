import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type BrokerProcess, startBrokerProcess } from "../support/broker/broker-process.ts";
import { until } from "../support/broker/given-polling.ts";
import { advanceClock } from "../support/database/clock.ts";
import { testDatabase } from "../support/database/database.ts";
import { rawRequest } from "../support/network/raw-request.ts";
import { expectSoundSignals } from "../support/queues/expect-sound-signals.ts";
import { givenQueue, givenSignal, signalStatus } from "../support/queues/given-signals.ts";
import { claimOne, httpWorker } from "../support/queues/http-worker.ts";
import { givenToken } from "../support/rows/given-token.ts";

const { db, url } = await testDatabase();
let living: BrokerProcess;
beforeAll(async () => {
  living = await startBrokerProcess(url);
});
afterAll(async () => {
  await living.kill();
});

/** A signal that was claimed at a broker, which was killed before its worker read the answer. */
async function killedAfterClaim() {
  const dying = await startBrokerProcess(url);
  onTestFinished(() => dying.kill());
  const queue = await givenQueue(db);
  const token = await givenToken(db, { orgId: queue.orgId });
  const id = await givenSignal(db, queue);
  const socket = await rawRequest(dying.url, `POST /v1/queues/${queue.queueId}/signals/claim`, {
    token,
    body: { claim_id: "c1" },
  });
  socket.pause();
  await until(async () => (await signalStatus(db, id)) === "in-flight");
  await dying.kill();
  socket.destroy();
  return { queue, id, worker: httpWorker(living.url, { ...queue, token }) };
}

test("a broker killed between a claim and its answer: the same claim_id gets the same signal elsewhere", async () => {
  const { id, worker } = await killedAfterClaim();
  const claimed = await claimOne(worker, { claim_id: "c1" });
  expect(claimed).toMatchObject({ id, execution_count: 1 });
  expect(await worker.report("complete", claimed)).toMatchObject({
    status: 200,
    body: { status: "finished" },
  });
  await expectSoundSignals(db);
});

test("a broker killed between a claim and its answer: nobody asks again, and it comes back after its lease", async () => {
  const { id, worker } = await killedAfterClaim();
  const [row] = await db<{ lease_id: string }[]>`
    select lease_id from queue_signal_live where id = ${id}`;
  const next = claimOne(worker, { claim_id: "c2" });
  await advanceClock(db, "31 s");
  const claimed = await next;
  expect(claimed).toMatchObject({ id, execution_count: 2 });
  const late = await worker.report("complete", { id, lease_id: row?.lease_id ?? "" });
  expect(late).toMatchObject({ status: 409, body: { code: "lease_lost" } });
  expect((await worker.report("complete", claimed)).status).toBe(200);
  await expectSoundSignals(db);
});
