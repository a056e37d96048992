import { beforeAll, describe, expect, test } from "vitest";
import type { Answer } from "../../support/broker/broker.ts";
import { send } from "../../support/broker/broker.ts";
import { givenPolling, type Polling } from "../../support/broker/given-polling.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { expectSoundSignals } from "../../support/queues/expect-sound-signals.ts";
import { type GivenQueue, givenQueue, queueOf } from "../../support/queues/given-signals.ts";
import { claimOne, httpWorker } from "../../support/queues/http-worker.ts";
import { givenToken } from "../../support/rows/given-token.ts";

let at: Polling;
beforeAll(async () => {
  at = await givenPolling();
});

/** A queue with a bound, and how to file signals in it at either broker. */
async function givenFiling(given: Parameters<typeof givenQueue>[1]) {
  const queue = await givenQueue(at.db, given);
  const token = await givenToken(at.db, { orgId: queue.orgId });
  const path = `/v1/queues/${queue.queueId}/signals`;
  const post = (nth: 0 | 1, what: string, body: object) =>
    send<{ code?: string }>(at.brokers[nth].url, `POST ${path}${what}`, { token, body });
  const file = (nth: number, members: object = {}) =>
    post(nth % 2 === 0 ? 0 : 1, "", { type: "work", ...members });
  const fileBatch = (count: number) =>
    post(0, "/batch", { signals: Array.from({ length: count }, () => ({ type: "work" })) });
  return { queue, file, fileBatch, worker: httpWorker(at.brokers[0].url, { ...queue, token }) };
}

function expectFull(answer: Answer<{ code?: string }>): void {
  expect(answer).toMatchObject({ status: 429, body: { code: "queue_full" } });
  expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
}

describe("the depth of a queue", () => {
  test("is what fifty enqueues at once fill, at two brokers, and none is answered otherwise than it came out", async () => {
    const { queue, file } = await givenFiling({ maxDepth: 20 });
    const answers = await Promise.all(Array.from({ length: 50 }, (_, nth) => file(nth)));
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(30);
    refused.forEach(expectFull);
    expect(await queueOf(at.db, queue)).toMatchObject({ waiting: 20 });
    await expectSoundSignals(at.db);
  });

  test("refuses a batch of which half would fit as a whole, and takes one that fits", async () => {
    const { queue, file, fileBatch } = await givenFiling({ maxDepth: 10 });
    for (let nth = 0; nth < 5; nth += 1) expect((await file(nth)).status).toBe(201);
    expectFull(await fileBatch(10));
    expect(await queueOf(at.db, queue)).toMatchObject({ waiting: 5 });
    expect((await fileBatch(5)).status).toBe(201);
    expectFull(await file(0));
    await expectSoundSignals(at.db);
  });

  test("counts what backs off, which then has its place again", async () => {
    const { queue, file, worker } = await givenFiling({ maxDepth: 2, maxInFlight: 2 });
    await file(0);
    const why = { description: "not yet", retry_after: "1m" };
    expect((await worker.report("fail", await claimOne(worker), why)).body.status).toBe("retrying");
    expect((await file(1)).status).toBe(201);
    expectFull(await file(2));
    await advanceClock(at.db, "2 minutes");
    await expect.poll(async () => (await queueOf(at.db, queue))?.waiting).toBe(2);
    expectFull(await file(3));
    await expectSoundSignals(at.db);
  });
});

test("the data in a queue has a bound too, which signals that end give back", async () => {
  const { queue, file, worker } = await givenFiling({});
  const large = { signal: { text: "x".repeat(200_000) } };
  expect((await file(0, large)).status).toBe(201);
  const restore = await nearlyFull(queue, 250_000);
  expectFull(await file(1, large));
  expect((await file(2)).status).toBe(201);
  expect((await worker.report("complete", await claimOne(worker))).status).toBe(200);
  expect((await file(3, large)).status).toBe(201);
  await restore();
  await expectSoundSignals(at.db);
});

/** As if so many bytes were left of a queue's 256 MiB with a large signal more; answers how to take that back. */
async function nearlyFull({ queueId }: GivenQueue, left: number): Promise<() => Promise<void>> {
  const add = async (bytes: number): Promise<void> => {
    await at.db`update queue_counters set bytes = bytes + ${bytes} where queue_id = ${queueId}`;
  };
  const [row] = await at.db<{ free: number }[]>`
    select queue_max_bytes() - bytes as free from queue_counters where queue_id = ${queueId}`;
  const taken = (row?.free ?? 0) - left + 100_000;
  await add(taken);
  return () => add(-taken);
}
