import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { givenPolling, type Polling, until } from "../../support/broker/given-polling.ts";
import { expectSoundSignals } from "../../support/queues/expect-sound-signals.ts";
import { type GivenQueue, givenSignal, signalStatus } from "../../support/queues/given-signals.ts";
import { givenWorkers, parkedClaims } from "../../support/queues/given-workers.ts";
import { claimOne } from "../../support/queues/http-worker.ts";

let at: Polling;
beforeAll(async () => {
  at = await givenPolling();
});
afterEach(async () => {
  await expectSoundSignals(at.db);
});

describe("a queue that is paused", () => {
  const pause = async ({ orgId, queueId }: GivenQueue) => {
    const rows = await at.db<{ wake: string | null }[]>`
      select wake from set_queue_pause(${orgId}, ${queueId}, 'pause', 'an audit', svc_now() + interval '1 hour', 'acc_1')`;
    at.brokers[0].broker.wakes.notify(
      rows.flatMap(({ wake: id }) => (id === null ? [] : [`signals:${id}` as const])),
    );
  };
  const refusal = {
    status: 409,
    body: {
      code: "queue_paused",
      paused_note: "an audit",
      paused_until: expect.any(String) as string,
    },
  };

  test("refuses claims, with the note and the end, and takes reports", async () => {
    const { queue, here } = await givenWorkers(at, { maxInFlight: 2 });
    await givenSignal(at.db, queue);
    await givenSignal(at.db, queue);
    const first = await claimOne(here);
    await pause(queue);
    expect(await here.claim()).toMatchObject(refusal);
    expect(await here.report("complete", first)).toMatchObject({ status: 200 });
  });

  test("ends the claims that were parked", async () => {
    const { queue, here, there } = await givenWorkers(at);
    const waiting = [here.claim(), here.claim(), there.claim()];
    await until(() => parkedClaims(at, 0, queue) === 2 && parkedClaims(at, 1, queue) === 1);
    await pause(queue);
    for (const answer of waiting) expect(await answer).toMatchObject(refusal);
  });
});

test("a claim that is parked when its queue is deleted gets 404", async () => {
  const { queue, here } = await givenWorkers(at);
  const waiting = here.claim();
  await until(() => parkedClaims(at, 0, queue) === 1);
  await at.db`select delete_queue(${queue.orgId}, ${queue.queueId})`;
  expect(await waiting).toMatchObject({ status: 404, body: { code: "queue_not_found" } });
});

test("a follow-up is handed out with the outcome of its cause", async () => {
  const { queue, here } = await givenWorkers(at);
  const cause = await givenSignal(at.db, queue, { type: "cause" });
  const claimed = await claimOne(here);
  const context = { request: "42" };
  await givenSignal(at.db, queue, { type: "effect", caused_by: cause, context });
  await here.report("complete", claimed, { result: { rows: 7 } });
  expect(await claimOne(here)).toMatchObject({
    type: "effect",
    signal_context: {
      awaited_by: null,
      caused_by: cause,
      scheduled_for: null,
      created_by_id: "acc_1",
      values: context,
    },
    cause: {
      signal_id: cause,
      type: "cause",
      status: "finished",
      status_description: "",
      result: { rows: 7 },
      finished_at: expect.any(String) as string,
    },
  });
});

test("a signal that does not open is put off and says why, and those behind it are handed out", async () => {
  const { queue, here } = await givenWorkers(at, { maxInFlight: 2 });
  const broken = await givenSignal(at.db, queue, { key_id: "k0", max_executions: 1 });
  const id = await givenSignal(at.db, queue);
  expect(await claimOne(here, { max: 2 })).toMatchObject({ id });
  await until(async () => (await signalStatus(at.db, broken)) === "dead");
  const [end] = await at.db<{ why: string }[]>`
    select status_description as why from queue_signal_ends where signal_id = ${broken}`;
  expect(end?.why).toMatch(/could not open it: .* key k0/);
});
