import { afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Db } from "../../../broker/database/connect.ts";
import { type TestBroker, startBroker } from "../../support/broker/broker.ts";
import { testDatabase } from "../../support/database/database.ts";
import { expectSoundQueues } from "../../support/database/expect-sound-queues.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { claim, givenJobs, givenProcess, givenRunner, report } from "../../support/rows/given.ts";

let db: Db;
let brokers: TestBroker[];
beforeAll(async () => {
  const database = await testDatabase();
  db = database.db;
  brokers = [await startBroker({ url: database.url }), await startBroker({ url: database.url })];
});
afterEach(async () => {
  await expectSoundQueues(db);
});

async function setup(maxDepth: number, slots = 0) {
  const runner = await givenRunner(db, { maxDepth, parallelism: { deploy: 3 } });
  const processId =
    slots === 0 ? "" : await givenProcess(db, runner, { serves: { deploy: slots } });
  const token = await givenToken(db, { orgId: runner.orgId });
  const path = `POST /v1/runners/${runner.runnerId}/jobs`;
  const enqueue = (at = 0, type = "noop-deploy") =>
    brokers[at % brokers.length]?.call(path, { token, body: { type } });
  const batch = (count: number) =>
    brokers[0]?.call(`${path}/batch`, {
      token,
      body: { jobs: Array.from({ length: count }, () => ({ type: "noop-deploy" })) },
    });
  return { runner, processId, enqueue, batch };
}

describe("the depth of a queue", () => {
  test("is counted exactly, however many enqueue at once at two brokers", async () => {
    const { enqueue } = await setup(10);
    const answers = await Promise.all(Array.from({ length: 40 }, async (_, at) => enqueue(at)));
    const statuses = answers.map((answer) => answer?.status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(10);
    const refused = answers.filter((answer) => answer?.status === 429);
    expect(refused).toHaveLength(30);
    expect(Number(refused[0]?.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(refused[0]?.body).toMatchObject({ code: "queue_full" });
  });

  test("counts what waits and what is on offer, not what runs or stops", async () => {
    const { runner, processId, enqueue } = await setup(2, 2);
    await givenJobs(db, runner, [{}, {}]);
    expect((await enqueue())?.status).toBe(429);
    const [held] = await claim(db, runner, { processId });
    expect((await enqueue())?.status).toBe(201);
    expect((await enqueue())?.status).toBe(429);
    await report(db, runner, { executionId: held?.executionId ?? "", status: "in-progress" });
    await db`select from end_jobs(${runner.orgId}, ${[held?.jobId ?? ""]}, 'cancel', '')`;
    expect((await enqueue())?.status).toBe(429);
  });

  test("takes a batch whole or not at all", async () => {
    const { runner, batch } = await setup(5);
    expect((await batch(3))?.status).toBe(201);
    expect((await batch(3))?.status).toBe(429);
    expect((await batch(2))?.status).toBe(201);
    const [row] = await db<{ n: number }[]>`
      select count(*) as n from runner_jobs where runner_id = ${runner.runnerId}`;
    expect(row?.n).toBe(5);
  });

  test("of one group keeps no other group waiting", async () => {
    const { enqueue } = await setup(1);
    expect((await enqueue())?.status).toBe(201);
    expect((await enqueue())?.status).toBe(429);
    expect((await enqueue(0, "noop-sync"))?.status).toBe(201);
  });

  test("lets a repetition through: it adds nothing", async () => {
    const { runner } = await setup(1);
    const token = await givenToken(db, { orgId: runner.orgId });
    const again = () =>
      brokers[0]?.call(`POST /v1/runners/${runner.runnerId}/jobs`, {
        token,
        body: { type: "noop-deploy" },
        headers: { "idempotency-key": "k1" },
      });
    const [first, second] = [await again(), await again()];
    expect([first?.status, second?.status]).toEqual([201, 201]);
    expect(second?.body).toMatchObject({ id: first?.body["id"] });
  });
});

test("jobs of one batch are handed out in its order", async () => {
  const { runner, processId } = await setup(50, 3);
  const ids = await givenJobs(
    db,
    runner,
    Array.from({ length: 9 }, () => ({})),
  );
  const got: string[] = [];
  while (got.length < ids.length) {
    for (const { jobId, executionId } of await claim(db, runner, { processId, want: 2 })) {
      got.push(jobId);
      await report(db, runner, { executionId, status: "failed" });
    }
  }
  expect(got).toEqual(ids);
});
