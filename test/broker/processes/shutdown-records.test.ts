import { expect, test } from "vitest";
import { startBroker } from "../../support/broker/broker.ts";
import { givenLeaving } from "../../support/broker/given-leaving.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";

const { url, db } = await testDatabase();
const { call } = await startBroker({ url });
const { setup, givenRunning, endOf } = givenLeaving(db, { call });

test("the record of a shutdown tells what became of the jobs that ran, and keeps its deadline when it is over", async () => {
  const given = await setup(true, 3);
  const runs = [await givenRunning(given), await givenRunning(given), await givenRunning(given)];
  const { body: order } = await call(`POST ${given.path}/shutdown`, {
    token: given.operator,
    body: { deadline: "1m" },
  });
  const seenNow = async () => {
    const { body } = await call<{ shutdowns: Record<string, unknown>[] }>(`GET ${given.path}`, {
      token: given.operator,
    });
    return body.shutdowns[0];
  };
  for (const [at, status] of [
    [0, "finished"],
    [1, "failed"],
  ] as const) {
    const { jobId, executionId } = runs[at] ?? { jobId: "", executionId: "" };
    const path = `/v1/runner-jobs/${jobId}/executions/${executionId}`;
    const body = { status, status_description: "as it was", result: { success: at === 0 } };
    const done = await call(`POST ${path}/finish`, { token: given.token, body });
    expect(done.status).toBe(200);
  }
  expect(await seenNow()).toMatchObject({ jobs: { running: 1, finished: 1, failed: 1 } });
  await advanceClock(db, "61 s", { alive: [given.processId] });
  await expect.poll(() => endOf(runs[2]?.jobId ?? "")).toMatchObject({ status: "failed" });
  const gone = { token: given.token, body: { status: "shut-down" } };
  expect((await call(`PATCH ${given.path}`, gone)).status).toBe(200);
  expect(await seenNow()).toMatchObject({
    status: "completed",
    deadline_at: null,
    metadata: { running_jobs: "3", deadline: order["deadline_at"] },
    jobs: { running: 0, finished: 1, failed: 1, stopped: 1, cancelled: 0, not_attempted: 0 },
  });
});
